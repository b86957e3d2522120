// What a proxy could be that holds only the lines which it may change.
import { proxy } from '../rig/by-head.mjs';

proxy(['agent_message_chunk', 'agent_thought_chunk', 'tool_call_update']);
