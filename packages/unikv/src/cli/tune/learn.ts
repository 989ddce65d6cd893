import { StoreError } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import { learnBefore } from '@unikv/tuner/learn'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'

/** Options of `unikv tune learn`. */
export interface LearnOptions {
  readonly store?: readonly string[]
  readonly out?: string
  readonly minutes?: string
  readonly json?: true
}

/** Try set-ups of stores, and keep which tactic helped when. */
export async function learn(options: LearnOptions, terminal: Terminal): Promise<void> {
  const { store: stores = [], out: file, minutes: given = '30', json } = options
  if (stores.length === 0) throw new StoreError('INVALID_ARGUMENT', 'Name a store: --store URL.')
  if (file === undefined) throw new StoreError('INVALID_ARGUMENT', 'Name a file for the lessons: --out FILE.')
  const minutes = Number(given)
  if (!(minutes >= 1 && minutes <= 30))
    throw new StoreError('INVALID_ARGUMENT', '--minutes must be a number from 1 to 30.')
  const end = new AbortController()
  terminal.onInterrupt(() =>
    end.abort(new StoreError('ABORTED', `Stopped. The same command goes on from ${file}.`)),
  )
  const { classes, origin } = await learnBefore({
    stores,
    file,
    minutes,
    signal: end.signal,
    onProgress: (done, of, cell, label) => {
      if (json !== true) terminal.error(printable(`${done} of ${of}: ${cell}: ${label}\n`, terminal.columns))
    },
  })
  if (json === true) terminal.out(`${JSON.stringify({ file, classes, origin })}\n`)
  else
    terminal.out(
      printable(
        `${file} has lessons about ${classes.join(', ')}. Use them: tuner({ lessons: '${file}' }).\n`,
        terminal.width,
      ),
    )
}
