import { addFrames } from '@unikv/monitor'
import type { KeptHistory, LiveProcess, Recorder, ServerFeatures } from '@unikv/monitor/recorder'
import type { Observation } from './observations.ts'

/** Observes the last five seconds of all processes of an application. */
export class Observer {
  readonly #recorder: Recorder
  readonly #kept: KeptHistory | undefined
  /** Up to here this process, and the others, were seen. */
  #mark: number | undefined
  readonly #seen = new Map<string, number>()

  /**
   * @param kept figures of all processes, where they are kept
   */
  constructor(recorder: Recorder, kept: KeptHistory | undefined) {
    this.#recorder = recorder
    this.#kept = kept
  }

  async look(at: number, onUnreadable: (error: unknown) => void): Promise<Observation> {
    const live = (await this.#kept?.live({ onUnreadable })) ?? []
    const own = this.#recorder.since(this.#mark)
    this.#mark = own.mark
    // Processes of one configuration may have one name.
    const others = live.filter(({ id }) => !own.writers.includes(id))
    const fresh = others.filter((one) => this.#isFresh(one))
    for (const id of this.#seen.keys()) if (!others.some((one) => one.id === id)) this.#seen.delete(id)
    return {
      at,
      lengthMs: Math.max(1, own.seenMs),
      frame: addFrames([own.frame, ...fresh.map(({ frame }) => frame)]),
      servers: newest([...others.map((one) => one.servers), own.servers]),
      processes: others.length + 1,
      names: ['this one', ...others.map(({ id }) => id)],
      loads: [own.process, ...others.map(({ process }) => process)].filter((one) => one !== undefined),
    }
  }

  /** Whether most of a window of another process was not counted before. */
  #isFresh({ id, at, lengthMs }: LiveProcess): boolean {
    const isFresh = at - lengthMs >= (this.#seen.get(id) ?? 0) - overlapMs
    if (isFresh) this.#seen.set(id, at)
    return isFresh
  }
}

/** Windows of other processes may overlap by so much. */
const overlapMs = 500

/** The latest figures of each server. */
function newest(all: readonly Observation['servers'][]): Observation['servers'] {
  const found: Record<string, ServerFeatures> = {}
  for (const servers of all)
    for (const [store, features] of Object.entries(servers))
      if ((found[store]?.at ?? 0) <= features.at) found[store] = features
  return found
}
