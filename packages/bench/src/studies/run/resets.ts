import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import { restore, snapshot } from '@unikv/snapshot'
import type { DrivenRecord } from '../../driven/target-results.ts'
import { runCommand } from '../../run/run-command.ts'
import { clearNamespace } from '../../run/run-namespace.ts'
import type { StoreTarget } from '../../run/target.ts'
import type { RunConfig } from './config.ts'

/** Keeps the records of one store as they were loaded, and brings them back. */
export interface Reset {
  save(): Promise<void>
  restore(): Promise<void>
  /** Remove what was kept. */
  close(): Promise<void>
}

/** The records of a store. */
export interface ResetPlace {
  readonly target: StoreTarget
  readonly keys: KeyValue<string, Bytes>
  readonly path: readonly string[]
  readonly records: number
  readonly signal: AbortSignal
}

type Timed = NonNullable<DrivenRecord['reset']>

/** The stores of a run whose records are brought back before each run. */
export class Resets {
  readonly #config: Pick<RunConfig, 'reset' | 'save' | 'restore'>
  readonly #resets = new Map<string, Reset>()
  /** Stores and runs before which records were brought back: once for all phases of a run. */
  readonly #restored = new Set<string>()

  constructor(config: Pick<RunConfig, 'reset' | 'save' | 'restore'>) {
    this.#config = config
  }

  /** Keep the records that were loaded. Resolves to the time that it took; `undefined`: records are not brought back. */
  async save(place: ResetPlace): Promise<Timed | undefined> {
    const { reset: way } = this.#config
    if (way === 'none') return undefined
    const reset = way === 'snapshot' ? await snapshotReset(place) : commandReset(place, this.#config)
    this.#resets.set(place.target.name, reset)
    return timed(way, () => reset.save())
  }

  /** Bring the records of a store back before this run. */
  async restore(store: string, run: number): Promise<Timed | undefined> {
    const { reset: way } = this.#config
    const before = `${store} ${run}`
    if (way === 'none' || this.#restored.has(before)) return undefined
    this.#restored.add(before)
    return timed(way, () => (this.#resets.get(store) as Reset).restore())
  }

  async close(): Promise<void> {
    await Promise.all([...this.#resets.values()].map((reset) => reset.close()))
  }
}

async function timed(way: Timed['way'], work: () => Promise<void>): Promise<Timed> {
  const startedAt = performance.now()
  await work()
  return { way, elapsedMs: performance.now() - startedAt }
}

/** Keeps records by commands of the user, such as those of a database for backups. They get the place of the records as JSON. */
function commandReset(
  { target, path, records, signal }: ResetPlace,
  { save, restore }: Pick<RunConfig, 'save' | 'restore'>,
): Reset {
  const input = { store: target.name, namespace: path, records }
  const run = async (option: 'save' | 'restore', command: string): Promise<void> => {
    const { problem, output } = await runCommand(command, { input, signal })
    signal.throwIfAborted()
    if (problem === undefined) return
    const told = output === '' ? 'It printed nothing.' : `It printed: ${output}`
    throw new StoreError('UNAVAILABLE', `The command of --${option} ${problem}: ${command}. ${told}`)
  }
  return {
    save: () => run('save', save as string),
    restore: () => run('restore', restore as string),
    close: async () => {},
  }
}

/** Keeps records in a portable snapshot, in the folder for temporary files. */
async function snapshotReset({ keys, signal }: ResetPlace): Promise<Reset> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-reset-'))
  const file = join(folder, 'records.snapshot')
  return {
    async save() {
      await snapshot(keys, file, { signal, compression: 'none' })
    },
    async restore() {
      await clearNamespace(keys)
      await restore(file, keys, { signal, verify: false })
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
