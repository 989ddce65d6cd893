import type { Terminal } from '../../terminal.ts'
import { bar } from './bar.ts'
import { jsonLines } from './json-lines.ts'
import { sentences } from './sentences.ts'
import type { Progress, ProgressForm } from './shown.ts'

/** Without a form, a bar on a terminal and sentences elsewhere. */
export function progress(
  terminal: Pick<Terminal, 'columns' | 'error'>,
  form: ProgressForm | undefined,
): Progress {
  if (form === 'json') return jsonLines(terminal)
  const { columns } = terminal
  return columns === undefined || form === 'text' ? sentences(terminal) : bar(terminal, columns)
}
