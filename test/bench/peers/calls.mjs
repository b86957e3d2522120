// What a proxy could be that also has to know of each tool call how far it is: those lines are held and parsed, too.
import { proxy } from '../rig/by-head.mjs';

proxy(['agent_message_chunk', 'agent_thought_chunk']);
