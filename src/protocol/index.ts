export {};
export * from './signals/index.js';
export * from './shape.js';
export * from './profiles.js';
export * from './extension.js';
export * from './bridge/index.js';
export * from './errors.js';
export * from './methods.js';
export * from './versions.js';
