import type { Readable, Writable } from 'node:stream'

/** The parts of the process that the command line needs. `main.ts` gives the real one, tests give their own. */
export interface Terminal {
  /** Arguments after the name of the program. */
  readonly arguments: readonly string[]
  /** Results. */
  readonly out: (text: string) => void
  /** Wait until `out` can take more. Resolves to `false` when its reader has gone: there is no need to go on. */
  readonly drained?: (() => Promise<boolean>) | undefined
  /** Progress and errors. */
  readonly error: (text: string) => void
  /** Whether `error` goes to a terminal that can redraw a line, and how wide it is. */
  readonly columns: number | undefined
  /** How wide the terminal is that `out` goes to; `undefined` for files and pipes. */
  readonly width?: number | undefined
  /** Whether `out` goes to a terminal with colors. */
  readonly hasColors?: boolean | undefined
  /** Everything on standard input. */
  readonly readInput?: (() => Promise<Buffer>) | undefined
  /** Where bytes go to and come from, for commands that take `-` as a file. */
  readonly stdout?: Writable | undefined
  readonly stdin?: Readable | undefined
  /** Ask a person; `undefined` where there is none. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined
  /** Call this at the first Ctrl-C; the second one ends the process. */
  readonly onInterrupt: (interrupted: () => void) => void
}
