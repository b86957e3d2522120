/**
 * Traces the session with OpenTelemetry: a span per turn, tool call, permission wait and background
 * item. It stands at the agent's end of the list and sees the agent's own dialect, changes nothing but
 * the trace context of prompts, and records no content unless it is asked for. It gets its tracer from outside; the SDK is not its business.
 */
import type { Meter, TextMapPropagator, Tracer } from '@opentelemetry/api';
import type { Logger } from '@opentelemetry/api-logs';
import { replace, type Call, type CallHook, type Host, type Plugin, type Reply, type ReplyHook } from 'afterturn/plugin';
import { at, extensionCapabilities, idOf, isObject, RAW_FEED, readRawFeed, type BackgroundType } from 'afterturn/protocol';
import { callOfPermission, introductionOf, optionKindsOf, outlineOf, permissionEndOf, promptEndOf, remoteContextOf, turnEndOf, withContext } from './reading.js';
import { promptContent } from './content.js';
import { SpanMetrics } from './metrics.js';
import { TraceRecorder } from './recorder.js';
import { KINDS, STOP } from './wanted.js';
import { OpenRequests } from '../open-requests.js';

export interface OtelOptions {
  readonly tracer: Tracer;
  /** Reads the client's span context out of `_meta`. */
  readonly propagator: TextMapPropagator;
  /** Milliseconds that the end of an item waits for corrections and its exit code. */
  readonly followUpWindow: number;
  /** For counts and durations. Absent: none are taken. */
  readonly meter?: Meter | undefined;
  /** For the start records of background items. Absent: none are written. */
  readonly logger?: Logger | undefined;
  /** Whether work that starts is shown at once, by a span without length. */
  readonly pendingSpans?: boolean;
  /** Whether contents become attributes. */
  readonly captureContent?: boolean;
  /** Whether the agent is told the turn's span context, in the prompt's `_meta`. */
  readonly propagate?: boolean;
  /** Whether the client's span context becomes a link, and each turn a trace of its own. */
  readonly linkClientTrace?: boolean;
}

export interface Otel {
  readonly plugin: Plugin;
  /** Tells the exit code that the last line of an item's output file names. */
  readonly exitCode: (session: string, task: string, code: number) => void;
}

const RESOURCE_NOT_FOUND = -32002;
const MAX_CLOSED = 1000;

const sessionOf = (params: unknown): string | undefined => idOf(at(params, 'sessionId'));

interface Asked {
  readonly session: string;
}

interface AskedCancel extends Asked {
  readonly refused: () => void;
}

interface AskedPermission extends Asked {
  readonly kinds: ReadonlyMap<string, string>;
}

/** A hook for calls that name a session. It only looks on. */
const onCall = (look: (session: string, call: Call, host: Host) => void): CallHook => (call, host) => {
  const session = sessionOf(call.params);
  if (session !== undefined) look(session, call, host);
};

export function otel({ tracer, propagator, followUpWindow, meter, logger, pendingSpans = false, captureContent = false, propagate = false, linkClientTrace = false }: OtelOptions): Otel {
  const recorder = new TraceRecorder({ tracer, logger, pendingSpans }, { window: followUpWindow, linkClient: linkClientTrace, captureContent }, meter && new SpanMetrics(meter));
  const closed = new Set<string>();
  /** The extension was asked for; some agents name it in any case. */
  let declared = false;
  const prompts = new OpenRequests<Asked>();
  const permissions = new OpenRequests<AskedPermission>();
  const replays = new OpenRequests<Asked>();
  const closing = new OpenRequests<Asked>();
  const cancels = new OpenRequests<AskedCancel>();

  const onAnswer = <T extends Asked>(open: OpenRequests<T>, look: (asked: T, reply: Reply, host: Host) => void): ReplyHook => (reply, host) => {
    const asked = open.take(reply.to.id);
    if (asked !== undefined) look(asked, reply, host);
  };

  const prompted: CallHook = ({ id, params }, host) => {
    const session = sessionOf(params);
    if (id === undefined || session === undefined) return undefined;
    const client = remoteContextOf(params, propagator);
    prompts.add(id, { session });
    recorder.record(host, { type: 'prompt', session, id, ...(client === undefined ? {} : { client }), ...(captureContent ? { content: promptContent(params) } : {}) });
    const own = propagate ? recorder.promptContext(session, id) : undefined;
    const traced = own && withContext(params, own, propagator);
    return traced && replace({ params: traced });
  };
  const answered = onAnswer(prompts, ({ session }, reply, host) => recorder.record(host, { type: 'promptAnswered', session, id: reply.to.id, end: promptEndOf(reply) }));

  const ready = (session: string, host: Host): void => {
    closed.delete(session);
    recorder.record(host, { type: 'ready', session });
  };
  const setUp: ReplyHook = (reply, host) => {
    const session = sessionOf(reply.result);
    if (session !== undefined) ready(session, host);
  };
  const replayAsked = onCall((session, { id }, host) => {
    if (id === undefined) return;
    replays.add(id, { session });
    ready(session, host);
    recorder.record(host, { type: 'replay', session });
  });
  /** A close that was asked before it can have been answered meanwhile: the session is there again. */
  const replayed = onAnswer(replays, ({ session }, { error }, host) => {
    recorder.record(host, { type: 'replayed', session });
    if (error === undefined && closed.has(session)) ready(session, host);
  });

  const closeAsked = onCall((session, { id }) => closing.add(id, { session }));
  const closeAnswered = onAnswer(closing, ({ session }, { error }, host) => {
    if (error !== undefined && error.code !== RESOURCE_NOT_FOUND) return;
    closed.add(session);
    for (const oldest of closed) {
      if (closed.size <= MAX_CLOSED) break;
      closed.delete(oldest);
    }
    recorder.closed(host, session);
  });

  const cancelAsked = (type: BackgroundType, key: string): CallHook => onCall((session, { id, params }, host) => {
    const work = idOf(at(params, key));
    if (work !== undefined) cancels.add(id, { session, refused: recorder.cancelAsked(host, session, { type, id: work }) });
  });
  const cancelAnswered = onAnswer(cancels, ({ refused }, { error }) => {
    if (error !== undefined) refused();
  });

  const updatedBy = (paramsOf: (call: Call) => unknown): CallHook => (call, host) => {
    const params = paramsOf(call);
    const session = sessionOf(params);
    const update = at(params, 'update');
    if (session === undefined || closed.has(session) || !isObject(update)) return;
    recorder.updated(host, session, update, update.sessionUpdate === 'state_update' ? turnEndOf(update) : undefined);
  };
  const updated = updatedBy(({ params }) => params);
  const callUpdated = captureContent ? updated : updatedBy(outlineOf);
  const fed = onCall((session, { params }, host) => {
    if (!closed.has(session)) recorder.fed(host, session, readRawFeed(params).signals);
  });
  const permissionAsked = onCall((session, { id, params }, host) => {
    if (id === undefined || closed.has(session)) return;
    permissions.add(id, { session, kinds: optionKindsOf(params) });
    recorder.record(host, { type: 'permission', session, id, toolCallId: callOfPermission(params) });
  });
  const permissionAnswered = onAnswer(permissions, ({ session, kinds }, reply, host) =>
    recorder.record(host, { type: 'permissionAnswered', session, id: reply.to.id, end: permissionEndOf(reply, kinds) }));

  const plugin: Plugin = {
    name: 'otel',
    toAgent: {
      calls: {
        initialize: ({ params }) => {
          declared = ['clientCapabilities', 'capabilities'].some((key) => extensionCapabilities(at(params, key)).includes('asyncTasks'));
        },
        'session/load': replayAsked,
        'session/resume': replayAsked,
        'session/prompt': prompted,
        'session/cancel': onCall((session, _call, host) => recorder.turnsCancelled(host, session)),
        'terminal/cancel': cancelAsked('terminal', 'terminalId'),
        'tool_call/cancel': cancelAsked('tool_call', 'toolCallId'),
        'session/close': closeAsked,
        'session/delete': closeAsked,
        [STOP]: onCall((session, { params }, host) => {
          const task = idOf(at(params, 'asyncTaskId'));
          if (task !== undefined) recorder.stopAsked(host, session, task);
        }),
      },
      replies: { 'session/request_permission': permissionAnswered },
    },
    toClient: {
      calls: {
        'session/update': { ...Object.fromEntries(KINDS.map((kind) => [kind, updated])), tool_call: callUpdated, tool_call_update: callUpdated },
        [RAW_FEED]: fed,
        'session/request_permission': permissionAsked,
      },
      replies: {
        initialize: ({ result }, host) => {
          if (result === undefined) return;
          recorder.asyncTasks = declared && extensionCapabilities(result).includes('asyncTasks');
          recorder.record(host, { type: 'agent', ...introductionOf(result) });
        },
        'session/new': setUp,
        'session/fork': setUp,
        'session/load': replayed,
        'session/resume': replayed,
        'session/prompt': answered,
        'session/close': closeAnswered,
        'session/delete': closeAnswered,
        'terminal/cancel': cancelAnswered,
        'tool_call/cancel': cancelAnswered,
      },
    },
    onEnd: ({ kind }, host) => {
      if (kind === 'agentExit') recorder.record(host, { type: 'over', reason: 'agent_exited' });
    },
    close: () => recorder.recordBeside({ type: 'over', reason: 'proxy_ended' }),
  };

  return {
    plugin,
    exitCode: (session, task, code) => recorder.recordBeside({ type: 'exitCode', session, task, code }),
  };
}
