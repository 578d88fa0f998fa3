/** Returns the text of a failure for standard error: all begin with the name of the command. */
export function toMessage(text: string): string {
  return `acqstore: ${text}`;
}

/** Prints why something failed. `text` has been made visible. */
export function complain(text: string): void {
  console.error(toMessage(text));
}
