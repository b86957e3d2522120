/**
 * Every message of claude-agent-acp 0.101.0, in v2, that does not reach a v2 client as it came, by the gap
 * that it is about: its place in the recording and what it is. Whatever is not here passes byte for byte.
 */
import type { Gap } from '../../../src/state/index.js';

type Changes = Partial<Readonly<Record<Gap, readonly string[]>>>;

/** The removal is held: a turn of the agent's own follows, or at last nothing. */
const held = (...places: readonly number[]): Changes => ({ removals: places.map((place) => `${place} idle lists 0`) });

export const changes: Readonly<Record<string, Changes>> = {
  'b_background_exit0.v2': held(40),
  'b_background_exit0.v2raw': held(47),
  'c_background_exit3.v2': held(39),
  'c_background_exit3.v2raw': held(47),
  // The call stays open, every state lists it, and the feed tells its end.
  'd_monitor.v2raw': {
    monitors: [
      '25 call completed', '33 idle end_turn lists 0', '38 running lists 0', '45 idle end_turn lists 0', '50 running lists 0', '57 idle end_turn lists 0',
      '62 running lists 0', '69 idle end_turn lists 0', '71 feed task_updated completed',
    ],
  },
  'e_background_agent.v2': held(40),
  'e_background_agent.v2raw': held(48),
  'e3_agent_with_background_bash.v2': held(40, 55),
  'e3_agent_with_background_bash.v2raw': held(50, 76),
  'f_stop_server.v2': held(36),
  'f_stop_server.v2raw': held(46),
  'f3_stop_subagent.v2': held(37),
  'g2_cancel_idle.v2': held(38),
  'g2_cancel_idle.v2raw': held(47),
  'g3_cancel_autonomous.v2': held(34),
  'g4_cancel_autonomous_by_session_cancel.v2': held(34),
  'g5_cancel_with_background_agent.v2': held(49),
  // What is ours is settled before the answer to the close.
  'h2_close_with_workflow.v2raw': { monitors: ['31 call completed', '39 idle end_turn lists 1', '42 idle lists 0', '43 answer session/close'] },
  'j_workflow.v2': held(30),
  'j_workflow.v2raw': held(40),
  'j2_workflow_stopped.v2': held(32),
  'j2_workflow_stopped.v2raw': held(40),
  // The listed terminal is told as live before the state.
  'k_resume_live.v2': { replays: ['52 idle lists 1'] },
  'o_timeout_to_background.v2': held(35),
  'o_timeout_to_background.v2raw': held(44),
  'q_prompt_during_autonomous.v2': held(35),
};
