/** What a bridge from a v2 agent down to a v1 client is made of: pure translators, each named after its target. */
export { modeOptionOf, toV1Commands, toV1ConfigOptions, toV1ConfigUpdates, v2OptionsOf, type V2Options } from './config.js';
export { toV2Blocks } from './content.js';
export { toV1ElicitationParams } from './elicitation.js';
export { toV1InitializeResult, toV2InitializeParams, v1ClientFactsOf, v2AgentFactsOf, type V1ClientFacts, type V2AgentFacts } from './initialize.js';
export { chunkKindOf, toV1Chunks, untold, type ToldMessage } from './messages.js';
export { askedAbout as permissionAskedAbout, toV1PermissionParams, type AskedAbout } from './permission.js';
export { isV1PlanType, plansAfter, toV1Plan, type Plans } from './plans.js';
export { answerOfIdle, cancelledAnswer, type PromptAnswer } from './prompt.js';
export { toV1SessionList, toV1SessionStatus, toV1SetupResult, toV2SetConfigOption, toV2SetupParams } from './session.js';
export { newTerminal, terminalAfter, toldTerminal, toV1TerminalText, untoldTerminal, type V2Terminal } from './terminal.js';
export { fieldsAfter, hasEnded, newCall, toV1CallUpdate, type DownCall, type DownCallContext } from './tool-call.js';
export { toV1OtherUpdate, toV1PlainUpdates } from './updates.js';
