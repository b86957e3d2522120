// Two connections of the ACP SDK back to back: an agent towards the client, a client towards the agent.
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const namesIn = (table) => Object.values(table).flatMap((each) => (typeof each === 'string' ? [each] : namesIn(each)));
const agentNotifications = ['session/cancel'];
const clientNotifications = ['session/update', 'elicitation/complete'];

const agentSide = acp.agent({ name: 'proxy' });
const clientSide = acp.client({ name: 'proxy' });
let toClient;
let toAgent;
for (const method of namesIn(acp.methods.agent)) {
  if (agentNotifications.includes(method)) agentSide.onNotification(method, ({ params }) => toAgent.agent.notify(method, params));
  else agentSide.onRequest(method, ({ params }) => toAgent.agent.request(method, params));
}
for (const method of namesIn(acp.methods.client)) {
  if (clientNotifications.includes(method)) clientSide.onNotification(method, ({ params }) => toClient.client.notify(method, params));
  else clientSide.onRequest(method, ({ params }) => toClient.client.request(method, params));
}
toAgent = clientSide.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
toClient = agentSide.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
child.on('exit', (code) => process.exit(code ?? 1));
process.stdin.on('end', () => child.stdin.end());
