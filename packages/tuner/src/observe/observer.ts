import { addFrames } from '@unikv/monitor'
import type { KeptHistory, Recorder, ServerFeatures } from '@unikv/monitor/recorder'
import type { Observation } from './observations.ts'

/** Observes the last five seconds of all processes of an application. */
export class Observer {
  readonly #recorder: Recorder
  readonly #kept: KeptHistory | undefined
  readonly #own: string

  /**
   * @param kept figures of all processes, where they are kept
   * @param own the name of this process there
   */
  constructor(recorder: Recorder, kept: KeptHistory | undefined, own: string) {
    this.#recorder = recorder
    this.#kept = kept
    this.#own = own
  }

  async look(at: number, onUnreadable: (error: unknown) => void): Promise<Observation> {
    const live = (await this.#kept?.live({ onUnreadable })) ?? []
    const own = this.#recorder.window('5s')
    const others = live.filter(({ name }) => name !== this.#own)
    const { servers, windows } = this.#recorder.features()
    const load = windows['5s'].process
    return {
      at,
      lengthMs: Math.max(1, own.seenMs),
      frame: addFrames([own.frame, ...others.map(({ frame }) => frame)]),
      servers: newest([...others.map((one) => one.servers), servers]),
      processes: others.length + 1,
      loads: [load, ...others.map(({ process }) => process)].filter((one) => one !== undefined),
    }
  }
}

/** The latest figures of each server. */
function newest(all: readonly Observation['servers'][]): Observation['servers'] {
  const found: Record<string, ServerFeatures> = {}
  for (const servers of all)
    for (const [store, features] of Object.entries(servers))
      if ((found[store]?.at ?? 0) <= features.at) found[store] = features
  return found
}
