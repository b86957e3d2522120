/** Trace files and recordings as one timeline, for a person. Pure. */
export type * from './model.js';
export { pageHtml, type Asset, type PageAssets } from './html.js';
export { isExport, readTraceText, type Span } from './otlp.js';
export { workOf, type Reading } from './reading.js';
export { textLines } from './text.js';
export { timelineOf } from './timeline.js';
export { titlesOf } from './titles.js';
