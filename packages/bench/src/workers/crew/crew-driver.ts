import { StoreError } from '@unikv/core'
import { ownCallers } from '../../drive/clients.ts'
import type { CrewDriverOptions } from '../../drive/crew.ts'
import type {
  DriveHooks,
  DriveRequest,
  Driver,
  DriveSample,
  LoadHooks,
  LoadPart,
  LoadSample,
} from '../../drive/driver.ts'
import { IntervalMerger } from '../../drive/merged.ts'
import { isOwnStore } from '../../run/own-store.ts'
import { greatestLength, type LengthLaw } from '../../values/length-law.ts'
import { objectCount } from '../../values/values.ts'
import type { Answers, JobData, Report, Work } from '../queue/job.ts'
import { ownVersion } from '../queue/keys.ts'
import { Phase } from './phase.ts'
import { mergedRun, type PhaseOrder, type SeatEnd } from './seat.ts'
import type { Session } from './session.ts'

/**
 * A driver of workers elsewhere, when each has opened the store.
 *
 * @throws {StoreError} what a worker said of the store, or that too few came
 */
export async function crewDriver(session: Session, options: CrewDriverOptions): Promise<Driver> {
  const driver = new CrewDriver(session, options)
  await driver.open(options.signal)
  return driver
}

class CrewDriver implements Driver {
  readonly #session: Session
  readonly #options: CrewDriverOptions
  /** Records that each share has inserted. */
  readonly #inserted: number[]
  readonly #objects = new Set<string>()

  constructor(session: Session, options: CrewDriverOptions) {
    this.#session = session
    this.#options = options
    this.#inserted = Array.from({ length: options.workers }, () => 0)
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#phase({ type: 'open' }, { signal, isRepeatable: true })
  }

  async load(part: LoadPart, { signal, onProgress }: LoadHooks): Promise<LoadSample> {
    await this.#offerObjects(part.workload.values)
    const done = this.#inserted.map(() => 0)
    const onReport = (share: number, report: Report): void => {
      if (report.type !== 'records') return
      done[share] = report.records
      onProgress?.(done.reduce((sum, count) => sum + count, 0))
    }
    const ends = await this.#phase({ type: 'load', part }, { signal, isRepeatable: true, onReport })
    signal.throwIfAborted()
    const samples = ends.flatMap((end) => (end.type === 'done' ? [end.answer] : []))
    return {
      records: samples.reduce((sum, { records }) => sum + records, 0),
      elapsedMs: Math.max(...samples.map(({ elapsedMs }) => elapsedMs)),
    }
  }

  async drive(request: DriveRequest, { signal, onInterval, start }: DriveHooks): Promise<DriveSample> {
    await this.#offerObjects(request.workload.values)
    const merger = new IntervalMerger(this.#options.workers, onInterval)
    const ends = await this.#phase(
      { type: 'drive', request },
      {
        signal,
        start,
        isRepeatable: false,
        // A warm-up goes on: the run after it may have a spare worker.
        endsWithoutAll: request.run > 0,
        onReport: (share, report) => {
          if (report.type === 'interval') merger.add(share, report.interval)
        },
        onLost: (share) => merger.leaveOut(share),
      },
    )
    return mergedRun(ends, this.#options.program)
  }

  /** Workers close a store when the session is over. */
  async close(): Promise<void> {}

  async #phase<W extends Work>(
    work: W,
    order: Omit<PhaseOrder, 'jobs'>,
  ): Promise<readonly SeatEnd<Answers[W['type']]>[]> {
    const jobs = this.#jobs(work)
    const ends = await new Phase<Answers[W['type']]>(this.#session, { ...order, jobs }).run()
    for (const [share, end] of ends.entries())
      if (end.type === 'done' || end.type === 'left') this.#inserted[share] = end.inserted
    return ends
  }

  #jobs(work: Work): readonly JobData[] {
    const { workers, records, seed, name, shownUrl: shown, opener, namespace, timeoutMs } = this.#options
    const { program, plan = ownCallers } = this.#options
    const { url: full, options } = opener
    // Only a URL that holds nothing to hide is the same when it is shown; a file of this machine says nothing elsewhere.
    const store = {
      name,
      url: full === shown && !isOwnStore(full) ? full : null,
      shown,
      options,
      namespace,
      timeoutMs,
      plan,
    }
    const { first = 0, count } = records
    const common = { version: ownVersion(), session: this.#session.id, phase: this.#session.nextPhase() }
    const given = program === undefined ? null : { name: program.name, options: program.options }
    return this.#inserted.map((inserted, index) => {
      const share = { index, of: workers }
      return { ...common, share, store, records: { first, count }, seed, inserted, work, program: given }
    })
  }

  /** The objects that values are cut from: the manager has the data. */
  async #offerObjects(law: LengthLaw): Promise<void> {
    const size = greatestLength(law)
    const count = objectCount(size)
    const key = `${size} ${count}`
    if (this.#objects.has(key)) return
    const objects = await this.#options.data.objects(size, count)
    if (objects.length === 0) throw new StoreError('INVALID_ARGUMENT', 'Values need at least one object.')
    await this.#session.putObjects(size, count, Buffer.concat([...objects]))
    this.#objects.add(key)
  }
}
