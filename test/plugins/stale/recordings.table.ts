/**
 * Every tool call of the recordings in `corpus/gemini` and `corpus/opencode`: whose it is, and how it
 * ends for the client. The facts are those that the recordings' own READMEs and orders tell; the replay
 * tests hold the plugin to them.
 */

/**
 * The call, in which of the recording's sessions (in the order in which they have calls), whose it is
 * (`prompt` with the id of its request), and its ends in order: by the agent's own word, or by the
 * proxy's with the reason.
 */
export type Row = readonly [call: string, session: number, owner: `prompt ${number}` | 'history' | 'nobody', end: End, ...later: End[]];
export type End = `agent ${'completed' | 'failed'}` | `proxy ${'completed' | 'failed'}: ${string}`;

/** How the recorded process came to its end, where that is part of the recording. Elsewhere it exits after a minute of silence. */
export const inputEnded: ReadonlySet<string> = new Set([
  'opencode/k3_load_eof.plain', 'opencode/q_eof_during_bash.plain', 'opencode/q_eof_during_bash.rich',
]);
export const killed: ReadonlySet<string> = new Set([
  'opencode/k4_load_pending_killed.plain', 'opencode/k4_load_pending_killed.rich', 'opencode/k10_resume_killed.plain', 'opencode/k11_load_killed_subagent.plain',
]);

export const recordings: Readonly<Record<string, readonly Row[]>> = {
  'gemini/a4_unknown_tool_and_bad_args.plain': [
    ['run_shell_command__run_shell_command_1796041805110_0', 0, 'prompt 2', 'agent failed'],
    ['read_file__read_file_1796041805270_0', 0, 'prompt 2', 'agent failed'],
  ],
  'gemini/b6_background_then_cancel.plain': [
    ['run_shell_command__run_shell_command_1796041827436_0', 0, 'prompt 2', 'agent completed'],
    ['run_shell_command__run_shell_command_1796041828385_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/e5_subagent_permission.plain': [
    ['invoke_agent__invoke_agent_1796042149099_0', 0, 'prompt 2', 'agent failed'],
  ],
  'gemini/g_cancel_shell.plain': [
    ['run_shell_command__run_shell_command_1796041850786_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/k2_load_live_server_part2.plain': [
    ['run_shell_command__run_shell_command_1796042249600_0', 0, 'history', 'agent completed'],
    ['list_background_processes__list_background_processes_1796042299308_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/k4_load_after_cancel_part2.plain': [
    ['run_shell_command__run_shell_command_1796042260755_0', 0, 'history', 'agent completed'],
  ],
  'gemini/k_load.plain': [
    ['run_shell_command__run_shell_command_1796042249701_0', 0, 'prompt 2', 'agent completed'],
    ['replace__replace_1796042250951_0', 0, 'prompt 2', 'agent completed'],
    ['read_file__read_file_1796042252021_0', 0, 'prompt 2', 'agent failed'],
    ['run_shell_command__run_shell_command_1796042252090_0', 0, 'prompt 2', 'proxy failed: its permission was refused, and its turn ended without ending it'],
  ],
  'gemini/k_load.rich': [
    ['run_shell_command__run_shell_command_1796042505890_0', 0, 'prompt 2', 'agent completed'],
    ['replace__replace_1796042506973_0', 0, 'prompt 2', 'agent completed'],
    ['read_file__read_file_1796042507683_0', 0, 'prompt 2', 'agent failed'],
    ['run_shell_command__run_shell_command_1796042507816_0', 0, 'prompt 2', 'proxy failed: its permission was refused, and its turn ended without ending it'],
  ],
  'gemini/k_load_part2.plain': [
    ['run_shell_command__run_shell_command_1796042249701_0', 0, 'history', 'agent completed'],
    ['replace__replace_1796042250951_0', 0, 'history', 'agent completed'],
    ['read_file__read_file_1796042252021_0', 0, 'history', 'agent failed'],
  ],
  'gemini/k_load_part2.rich': [
    ['run_shell_command__run_shell_command_1796042505890_0', 0, 'history', 'agent completed'],
    ['replace__replace_1796042506973_0', 0, 'history', 'agent completed'],
    ['read_file__read_file_1796042507683_0', 0, 'history', 'agent failed'],
  ],
  'gemini/l4_permission_cancel.plain': [
    ['run_shell_command__run_shell_command_1796041883344_0', 0, 'prompt 2', 'proxy failed: its turn was cancelled without ending it'],
  ],
  'gemini/l4_permission_cancel.rich': [
    ['run_shell_command__run_shell_command_1796042455273_0', 0, 'prompt 2', 'proxy failed: its turn was cancelled without ending it'],
  ],
  'gemini/l6_permission_cancel_then_allow.plain': [
    ['run_shell_command__run_shell_command_1796041885049_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/l7_permission_two_calls.plain': [
    ['run_shell_command__run_shell_command_1796041887402_0', 0, 'prompt 2', 'proxy failed: its permission was refused, and its turn ended without ending it'],
    ['run_shell_command__run_shell_command_1796041887441_1', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/l7_permission_two_calls.rich': [
    ['run_shell_command__run_shell_command_1796042464335_0', 0, 'prompt 2', 'proxy failed: its permission was refused, and its turn ended without ending it'],
    ['run_shell_command__run_shell_command_1796042464368_1', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/m2_edit_permission.plain': [
    ['write_file__write_file_1796041914831_0', 0, 'prompt 2', 'agent completed'],
    ['replace__replace_1796041915405_0', 0, 'prompt 2', 'agent completed'],
    ['write_file__write_file_1796041915764_0', 0, 'prompt 2', 'proxy failed: its permission was refused, and its turn ended without ending it'],
    ['write_file__write_file_1796041916153_0', 0, 'prompt 2', 'agent completed'],
    ['write_file__write_file_1796041916486_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/m2_edit_permission.rich': [
    ['write_file__write_file_1796042478851_0', 0, 'prompt 2', 'agent failed'],
    ['replace__replace_1796042479307_0', 0, 'prompt 2', 'agent completed'],
    ['write_file__write_file_1796042480090_0', 0, 'prompt 2', 'agent failed'],
    ['write_file__write_file_1796042480122_0', 0, 'prompt 2', 'agent failed'],
    ['write_file__write_file_1796042480152_0', 0, 'prompt 2', 'agent failed'],
  ],
  'gemini/n4_error_after_tool.plain': [
    ['run_shell_command__run_shell_command_1796041953170_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/s2_second_prompt_permission_open.plain': [
    ['run_shell_command__run_shell_command_1796041901845_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/s2_second_prompt_permission_open.rich': [
    ['run_shell_command__run_shell_command_1796042478489_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/s_second_prompt.plain': [
    ['run_shell_command__run_shell_command_1796041899506_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/s_second_prompt.rich': [
    ['run_shell_command__run_shell_command_1796042477779_0', 0, 'prompt 2', 'agent completed'],
  ],
  'gemini/t_two_sessions.plain': [
    ['run_shell_command__run_shell_command_1796042006343_0', 0, 'prompt 3', 'agent completed'],
    ['run_shell_command__run_shell_command_1796042006613_0', 1, 'prompt 4', 'agent completed'],
  ],
  'opencode/d_doom_loop.plain': [
    ['call_loop_1', 0, 'prompt 2', 'agent completed'],
    ['call_loop_2', 0, 'prompt 2', 'agent completed'],
    ['call_loop_3', 0, 'prompt 2', 'agent completed'],
    ['per_22c793344001tD4ER4phB6UrZe', 0, 'prompt 2', 'proxy completed: its turn ended without ending it'],
  ],
  'opencode/e10_background_subagent_during_turn.plain': [
    ['call_task_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_2', 0, 'prompt 3', 'agent completed'],
  ],
  'opencode/e11_own_turn_permission.plain': [
    ['call_task_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_2', 0, 'nobody', 'agent completed'],
  ],
  'opencode/e11_own_turn_permission.rich': [
    ['call_task_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_2', 0, 'nobody', 'agent completed'],
  ],
  'opencode/e4_background_subagent.plain': [
    ['call_task_1', 0, 'prompt 2', 'agent completed'],
  ],
  'opencode/e6_background_subagent_cancel_own.plain': [
    ['call_task_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_2', 0, 'nobody', 'agent completed'],
  ],
  'opencode/e7_background_subagent_prompt_own.plain': [
    ['call_task_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_2', 0, 'nobody', 'agent completed'],
  ],
  'opencode/g4_cancel_pending.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent failed'],
  ],
  'opencode/g6_cancel_then_prompt.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent completed'],
  ],
  'opencode/h3_close_then_load.plain': [
    // The end that the agent kept to itself at the close comes with a load.
    ['call_bash_1', 0, 'prompt 2', 'proxy failed: the session was closed', 'agent completed'],
  ],
  'opencode/i_fork.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_1', 1, 'history', 'agent completed'],
  ],
  'opencode/k10_resume_killed.plain': [
    ['call_bash_1', 0, 'prompt 2', 'proxy failed: the agent exited'],
  ],
  'opencode/k10_resume_killed_part2.plain': [],
  'opencode/k11_load_killed_subagent.plain': [
    ['call_task_1', 0, 'prompt 2', 'proxy failed: the agent exited'],
  ],
  'opencode/k11_load_killed_subagent_part2.plain': [
    ['call_task_1', 0, 'history', 'proxy completed: it was replayed unfinished'],
  ],
  'opencode/k3_load_eof.plain': [
    ['call_bash_1', 0, 'prompt 2', "proxy failed: the client's input ended"],
  ],
  'opencode/k3_load_eof_part2.plain': [
    ['call_bash_1', 0, 'history', 'agent failed'],
  ],
  'opencode/k4_load_pending_killed.plain': [
    ['call_bash_1', 0, 'prompt 2', 'proxy failed: the agent exited'],
  ],
  'opencode/k4_load_pending_killed.rich': [
    ['call_bash_1', 0, 'prompt 2', 'proxy failed: the agent exited'],
  ],
  'opencode/k4_load_pending_killed_part2.plain': [
    ['call_bash_1', 0, 'history', 'proxy completed: it was replayed unfinished'],
  ],
  'opencode/k4_load_pending_killed_part2.rich': [
    ['call_bash_1', 0, 'history', 'proxy completed: it was replayed unfinished'],
  ],
  'opencode/k9_load_other_process.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent completed'],
  ],
  'opencode/k9_load_other_process_part2.plain': [
    // Another process still runs it, which nothing here shows; its end comes with the second load, and wins.
    ['call_bash_1', 0, 'history', 'proxy completed: it was replayed unfinished', 'agent completed'],
  ],
  'opencode/l4_permission_cancel.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent failed'],
  ],
  'opencode/l6_permission_late_answer.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent failed'],
  ],
  'opencode/l8_permission_close.plain': [
    ['call_bash_1', 0, 'prompt 2', 'proxy failed: the session was closed'],
  ],
  'opencode/n5_error_after_tool.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent completed'],
  ],
  'opencode/q_eof_during_bash.plain': [
    ['call_bash_1', 0, 'prompt 2', "proxy failed: the client's input ended"],
  ],
  'opencode/q_eof_during_bash.rich': [
    ['call_bash_1', 0, 'prompt 2', "proxy failed: the client's input ended"],
  ],
  'opencode/s2_second_prompt_cancel.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent completed'],
  ],
  'opencode/s3_second_prompt_tool.plain': [
    ['call_bash_1', 0, 'prompt 2', 'agent completed'],
    ['call_bash_2', 0, 'prompt 3', 'agent completed'],
  ],
  'opencode/t_two_sessions.plain': [
    ['call_bash_1', 0, 'prompt 3', 'agent completed'],
    ['call_bash_1', 1, 'prompt 4', 'agent completed'],
  ],
};
