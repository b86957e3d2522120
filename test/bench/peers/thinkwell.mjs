// The conductor of @thinkwell/conductor between our stdio and the agent, without proxies in between.
import { createInterface } from 'node:readline';
import { Conductor, fromConnectors, StdioConnector } from '@thinkwell/conductor';

const [command, ...args] = process.argv.slice(2);

const client = {
  async connect() {
    const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
    async function* messages() {
      for await (const line of lines) if (line.trim()) yield JSON.parse(line);
    }
    return {
      send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
      get messages() {
        return messages();
      },
      close: async () => lines.close(),
    };
  },
};

const conductor = new Conductor({ instantiator: fromConnectors(new StdioConnector({ command, args }), []), mcpBridgeMode: 'disabled' });
await conductor.connect(client);
process.exit(0);
