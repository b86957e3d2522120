/** Reads recordings. Knows files, and how what is wrong with one is told. */
import { readRecording, UnusableLine, type Recording } from '../check/index.js';
import { relayError } from '../errors.js';
import { textOfFile } from './text-file.js';

export interface RecordingFile extends Recording {
  readonly path: string;
}

/** The recording in a file; `-` is stdin. Throws a `RelayError` that names the line and the problem. */
export function recordingIn(path: string): RecordingFile {
  const text = textOf(path);
  try {
    const recording = readRecording(text);
    if (recording.connections.length === 0) throw relayError('INVALID_RECORDING', { path, problem: 'there is no message' });
    return { path, ...recording };
  } catch (error) {
    if (!(error instanceof UnusableLine)) throw error;
    throw relayError('INVALID_RECORDING', { path, problem: error.message });
  }
}

function textOf(path: string): string {
  try {
    return textOfFile(path === '-' ? 0 : path);
  } catch (error) {
    throw relayError('UNREADABLE_RECORDING', { path, reason: error instanceof Error ? error.message : String(error) });
  }
}
