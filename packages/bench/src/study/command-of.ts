import type { AnyStudy } from './study.ts'

/** The command that runs a study. */
export function commandOf({
  name,
  command = `unikv bench ${name}`,
}: Pick<AnyStudy, 'name' | 'command'>): string {
  return command
}
