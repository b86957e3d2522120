/** The demo: a scripted legacy agent, and a v2 client's view of it. Processes and printing are the edge's. */
export { createDemoAgent, type DemoAgent, type DemoAgentPorts } from './agent.js';
export { demoLine, spanLines } from './view.js';
