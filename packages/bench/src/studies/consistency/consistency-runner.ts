import { StoreError } from '@unikv/core'
import type { Driver, DriveSample } from '../../drive/driver.ts'
import { localDriver } from '../../drive/local-driver.ts'
import { type LoopClock, timerClock } from '../../loop/clock.ts'
import type { RunNamespace } from '../../run/run-namespace.ts'
import type { StoreTarget } from '../../run/target.ts'
import { driving, loading, targetOf } from '../../study/running.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { ConsistencyConfig } from './config.ts'
import { Connections } from './connections.ts'
import { type CommandRun, Disturber } from './disturber.ts'
import { atLevels, type LevelPair, noLevel, pairText } from './levels.ts'
import { type ConsistencyCell, workloadOf } from './plan.ts'
import { valueOf, writeOf } from './stale/follow.ts'
import { staleRun } from './stale/stale-run.ts'
import type { StaleSample } from './stale/tally.ts'

/** The measurements of a cell. */
export type ConsistencySample =
  | { readonly kind: 'throughput'; readonly drive: Omit<DriveSample, 'series'> }
  | { readonly kind: 'stale'; readonly stale: StaleSample }

/** A finished cell. */
export interface ConsistencyRecord {
  readonly cell: ConsistencyCell
  /** `null` of a cell that loads. */
  readonly sample: ConsistencySample | null
  /** The command that was run before it. */
  readonly command: CommandRun | undefined
}

/** How long readers may take to catch up after a disturbance. */
const catchUpMs = 60_000

/** Drives stores at pairs of levels, and follows writes. */
export class ConsistencyRunner implements CellRunner<ConsistencyCell, ConsistencyRecord> {
  readonly #context: StudyContext<ConsistencyConfig>
  readonly #clock: LoopClock | undefined
  readonly #connections: Connections
  readonly #drivers = new Map<string, Driver>()
  readonly #disturber: Disturber
  #writes = 0

  /** @param clock for tests; the real one without it */
  constructor(context: StudyContext<ConsistencyConfig>, clock?: LoopClock) {
    this.#context = context
    this.#clock = clock
    const { timeoutMs } = context.config
    this.#connections = new Connections((target) => ({ path: this.#path(target, 'stale'), timeoutMs }))
    this.#disturber = new Disturber(context.config.disturbance, context.signal)
  }

  async run(cell: ConsistencyCell): Promise<ConsistencyRecord> {
    this.#context.signal.throwIfAborted()
    if (cell.work.kind === 'load') {
      await this.#load(cell)
      return { cell, sample: null, command: undefined }
    }
    const kept = await this.#kept(cell)
    if (kept !== undefined) return { cell, sample: kept, command: undefined }
    const command = await this.#disturber.bring(cell.condition)
    if (command?.kind === 'undo') await this.#catchUp()
    const sample = await this.#measure(cell)
    await this.#context.cells.write(this.#identity(cell), sample)
    return { cell, sample, command }
  }

  async finish(): Promise<void> {
    await this.#disturber.undo()
  }

  async close(): Promise<void> {
    await this.#connections.close()
  }

  async #measure(cell: ConsistencyCell): Promise<ConsistencySample> {
    const { work } = cell
    if (work.kind === 'throughput')
      return {
        kind: 'throughput',
        drive: await this.#drive(cell, work.callers, this.#context.config.durationMs),
      }
    return { kind: 'stale', stale: await this.#stale(cell) }
  }

  async #load(cell: ConsistencyCell): Promise<void> {
    const { config, signal } = this.#context
    const target = targetOf(this.#context, cell.store)
    await this.#connections.prepare(target)
    if (!config.parts.includes('throughput')) return
    const onProgress = loading(this.#context, target.name, config.records)
    const part = { workload: workloadOf(config), first: 0, count: config.records }
    const driver = await this.#driver(cell)
    await driver.load(part, { signal, onProgress })
    if (config.warmupMs > 0) await this.#drive(cell, config.callers.at(-1) ?? 1, config.warmupMs)
  }

  async #drive(
    cell: ConsistencyCell,
    concurrency: number,
    durationMs: number,
  ): Promise<Omit<DriveSample, 'series'>> {
    const { config, signal } = this.#context
    const { run, point } = cell
    const driver = await this.#driver(cell)
    const { series: _, ...sample } = await driver.drive(
      {
        workload: workloadOf(config),
        loop: { concurrency, rate: null, arrivals: 'constant', maxInFlight: 1, whenFull: 'queue' },
        run: run * 1_000 + point,
        durationMs,
        operations: null,
        expectedInserts: 0,
      },
      {
        signal,
        onInterval: driving(this.#context, cell.store, run),
      },
    )
    signal.throwIfAborted()
    return sample
  }

  async #stale(cell: ConsistencyCell): Promise<StaleSample> {
    const { config, signal } = this.#context
    const target = targetOf(this.#context, cell.store)
    const at = { path: this.#path(target, 'stale'), timeoutMs: config.timeoutMs }
    const places = await this.#connections.readers(target)
    const store = await this.#connections.writer(target, cell.pair)
    return staleRun({
      ...config,
      writer: atLevels(store, cell.pair, at),
      readers: places.map((one) => ({ name: one.name, kv: atLevels(one.store, cell.pair, at) })),
      nextWrite: () => ++this.#writes,
      clock: this.#clock ?? timerClock,
      signal,
    })
  }

  /** After a disturbance the calm returns when all readers see a new write, by connections that had no part in it. */
  async #catchUp(): Promise<void> {
    this.#drivers.clear()
    await this.#connections.close()
    const { config, stores } = this.#context
    const anyLevel: LevelPair = { write: noLevel, read: noLevel }
    for (const target of stores) {
      const at = { path: this.#path(target, 'stale'), timeoutMs: config.timeoutMs }
      const write = ++this.#writes
      const writer = atLevels(target.store, anyLevel, at)
      await this.#until(target, 'is written to', async () => {
        await writer.set('calm', valueOf(write, config.valueSize))
        return true
      })
      for (const { name, store } of await this.#connections.readers(target)) {
        const reader = atLevels(store, anyLevel, at)
        await this.#until(target, `is up to date for the reader '${name}'`, async () => {
          return writeOf(await reader.get('calm')) >= write
        })
      }
    }
  }

  async #until({ name }: StoreTarget, what: string, isSo: () => Promise<boolean>): Promise<void> {
    const clock = this.#clock ?? timerClock
    const until = clock.now() + catchUpMs
    let cause: unknown
    while (clock.now() < until) {
      this.#context.signal.throwIfAborted()
      try {
        if (await isSo()) return
      } catch (error) {
        cause = error
      }
      await clock.wait(clock.now() + 50)
    }
    const message = `${name}: ${catchUpMs / 1_000} s after the command of --undo it was not yet so that the store ${what}.`
    throw new StoreError('UNAVAILABLE', message, { cause })
  }

  /** Reads and updates of the same records at all levels. */
  async #driver(cell: ConsistencyCell): Promise<Driver> {
    const { config, data } = this.#context
    const target = targetOf(this.#context, cell.store)
    const key = `${cell.store} ${pairText(cell.pair)}`
    const found = this.#drivers.get(key)
    if (found !== undefined) return found
    const { seed, timeoutMs, records } = config
    const store = await this.#connections.writer(target, cell.pair)
    const keys = atLevels(store, cell.pair, { path: this.#path(target, 'rates'), timeoutMs })
    const made = localDriver({ keys, records: { first: 0, count: records }, data, seed, timeoutMs })
    this.#drivers.set(key, made)
    return made
  }

  #path(target: StoreTarget, part: string): readonly string[] {
    const { path } = this.#context.namespaces.get(target) as RunNamespace
    return [...path, part]
  }

  async #kept(cell: ConsistencyCell): Promise<ConsistencySample | undefined> {
    return (await this.#context.cells.read(this.#identity(cell))) as ConsistencySample | undefined
  }

  /** All that the measurements of a cell depend on, besides machine, versions and data. */
  #identity({ run, point, condition, pair, work, store }: ConsistencyCell): object {
    const target = targetOf(this.#context, store)
    const { name, url, readers = [] } = target
    const where = {
      name,
      url,
      server: this.#context.serverOf(target),
      readers: readers.map((one) => one.url),
    }
    const { levels: _levels, parts: _parts, callers: _callers, runs: _runs, ...config } = this.#context.config
    return { where, run, point, condition, pair, work, config }
  }
}
