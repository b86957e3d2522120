/** Prints what a subcommand has to say on stdout, whole, however slow or gone its reader is. */

/** Resolves when the text, which may be long, is written. A reader that went away (`| head`) is no fault. */
export function printed(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(text, () => resolve());
  });
}
