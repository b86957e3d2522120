// The scripts of dist/: which modules each is made of. A session reads the first; every other one is
// read when somebody first needs a module of it. Knows names, not how a script is made (build.js) or
// started (afterturn.js).
'use strict';

const api = ['@opentelemetry/api', '@opentelemetry/api-logs'];

/**
 * Modules that are imported for what they do late: an imported function reads its script when it is
 * called, an `import()` when it is reached. `modules`: what a script is made of; a list of names:
 * the functions that others import statically. `options`: what esbuild is told beside what all are told.
 */
exports.scripts = {
  afterturn: { modules: { 'src/edge/main.ts': [] } },
  // What only some command lines ask for.
  options: { modules: { 'src/edge/config-file.ts': [], 'src/edge/help.ts': [], 'src/edge/load-plugins.ts': [], 'src/edge/recorder.ts': [], 'src/edge/version.ts': [] } },
  subcommands: {
    modules: { 'src/edge/check.ts': [], 'src/edge/demo.ts': [], 'src/edge/doctor.ts': [], 'src/edge/migrate.ts': [], 'src/edge/replay.ts': [], 'src/edge/report.ts': [] },
    options: { external: ['@opentelemetry/*', '@agentclientprotocol/sdk', 'ajv/*'] },
  },
  // The plugins that a plain session needs none of, by what is needed together.
  'plugin-stale': { modules: { 'plugins/stale/index.ts': ['stale'] } },
  'plugin-keep-open': { modules: { 'plugins/keep-open/index.ts': ['keepOpen'] } },
  'plugin-background': { modules: { 'plugins/background/index.ts': ['background'] } },
  'plugin-gaps': { modules: { 'plugins/gaps/index.ts': ['gaps'] } },
  'plugin-bridge': { modules: { 'plugins/bridge/index.ts': ['bridge'], 'plugins/subagent-form.ts': ['subagentForm'] } },
  'plugin-bridge-down': { modules: { 'plugins/bridge-down/index.ts': ['bridgeDown'], 'plugins/legacy-subagents/index.ts': ['legacySubagents'], 'plugins/legacy-tasks/index.ts': ['legacyTasks'] } },
  // A session that is not traced reads none of these. What makes spans of messages has its own copy of the reducers, and comes with the SDK.
  telemetry: { modules: { 'src/edge/telemetry.ts': [] }, options: { external: api } },
  'plugin-otel': { modules: { 'plugins/otel/index.ts': [] }, options: { external: api } },
  // OpenTelemetry's ES modules can be shaken, what their `main` names cannot.
  'telemetry-api': { source: api.map((name) => `export * from '${name}';`).join('\n'), options: { mainFields: ['module', 'main'] } },
  'telemetry-sdk': { modules: { 'src/edge/telemetry-sdk.ts': [] }, options: { external: api, mainFields: ['module', 'main'] } },
  'telemetry-grpc': { modules: { 'src/edge/telemetry-grpc.ts': [] }, options: { external: api, mainFields: ['module', 'main'] } },
};
