/** What a bridge between ACP versions is made of: pure translators, each named after its target. */
export { isContentBlock } from './content.js';
export { isAbsolutePath } from './diff.js';
export { toV2ElicitationParams } from './elicitation.js';
export { bridgeHabitsOf, type BridgeHabits } from './habits.js';
export { setterOf, toV2ConfigOptions, toV2Config, withForm, withOptions, type ConfigView, type OwnForm } from './config.js';
export {
  declaresPrivateExtension, toBothInitializeParams, toV1InitializeParams, toV2InitializeResult, v1AgentFactsOf, type V1AgentFacts,
} from './initialize.js';
export { toV2Chunk, messageKinds, type MessageRun } from './messages.js';
export { toV2Meta, type MetaRules } from './meta.js';
export { cancelledOutcome, permissionToolCall, toV1PermissionResult, toV2PermissionParams } from './permission.js';
export { endingOfError, endingOfFailure, endingOfResult, failureAfter, toV1PromptParams, type Ending, type Failure } from './prompt.js';
export { launchOfReplayed, toV2EmptyMessage, toV2Replayed } from './replay.js';
export { optionsOfResult, toV1Resume, toV1SetConfigOption, toV1SetupParams, toV2SessionList, toV2SetupResult, type V1Request } from './session.js';
export { toV2StopNotice } from './stop-line.js';
export {
  answeringAgent, endingOfOutcome, isChildNews, launchedInBackground, launchesSubagent, launchOfUpdate, readChildNews, readSubagentTask, sessionMessages,
  type ChildNews, type ChildState, type SubagentTask,
} from './subagents.js';
export { terminalsIn, toV2Terminals, type KnownTerminal } from './terminal.js';
export { isFinal, toV2PermissionCall, toV2ToolCall, type CallContext, type KnownCall } from './tool-call.js';
export { isUpdate, toV2PlainUpdate, toV2UnknownUpdate } from './updates.js';
