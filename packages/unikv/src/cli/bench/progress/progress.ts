import type { BenchCell, BenchEvent } from '@unikv/workload'
import type { Terminal } from '../../terminal.ts'
import { bar } from './bar.ts'
import { jsonLines } from './json-lines.ts'
import { sentences } from './sentences.ts'

/** Shows how a run goes on. */
export interface Progress {
  readonly show: (event: BenchEvent<BenchCell>) => void
  /** Leave the line free for what comes next. */
  readonly end: () => void
}

/** Ways to show it that can be asked for. */
export type ProgressForm = 'text' | 'json'

/** Without a form, a bar on a terminal and sentences elsewhere. */
export function progress(
  terminal: Pick<Terminal, 'columns' | 'error'>,
  form: ProgressForm | undefined,
): Progress {
  if (form === 'json') return jsonLines(terminal)
  const { columns } = terminal
  return columns === undefined || form === 'text' ? sentences(terminal) : bar(terminal, columns)
}
