import { StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { fastRandom, subSeed } from '../../random/random.ts'
import { Course, type Step } from '../model/course.ts'
import { Draws } from '../model/draws.ts'
import { checkCounts } from '../model/options.ts'
import {
  type CheckedModel,
  checkedModel,
  type ModelContext,
  type SessionModel,
} from '../model/session-model.ts'
import { checkModeShares, type ModeShares } from './mode-shares.ts'

/** A session with more interactions has no end in a simulation: only time would end it, and there it stands still. */
const mostSimulated = 1_000_000

/** How much is simulated. */
export interface SimulationOptions {
  /** How many sessions. @default 10000 */
  readonly sessions?: number | undefined
  /** @default 42 */
  readonly seed?: number | undefined
  /** How often results have modes. @default never */
  readonly modes?: ModeShares | undefined
}

const optionNames: OptionNames<SimulationOptions> = { sessions: true, seed: true, modes: true }

/** The sessions of a simulation. Interactions take no time; think times pass. */
export interface Simulation {
  readonly sessions: number
  /** How often each state was visited, by name. */
  readonly visits: Readonly<Record<string, number>>
  readonly interactions: number
  /** The greatest number of interactions of one session. */
  readonly mostInteractions: number
  /** Think times of all sessions together, in milliseconds. */
  readonly thinkMs: number
}

/**
 * Let sessions go their ways without any data, with the model's limits and think times.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong model or option; `INVALID_ARGUMENT` for wrong shares, or if sessions do not end
 */
export function simulate(
  model: SessionModel,
  context: ModelContext,
  options: SimulationOptions = {},
): Simulation {
  checkFactoryOptions('simulate', options, optionNames)
  const { sessions = 10_000, seed = 42, modes = {} } = options
  checkCounts('simulate', { sessions }, { least: 1 })
  checkCounts('simulate', { seed }, { least: 0 })
  const checked = checkedModel(model, context)
  checkModeShares(modes, checked.modes)
  if (!checked.ends)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Sessions of this model do not end. Limit them by maxCount or maxTimeMs to simulate them.',
    )
  const simulator = new Simulator(checked, modes)
  for (let session = 0; session < sessions; session++) simulator.run(subSeed(seed, 'session', session))
  return simulator.result(sessions)
}

class Simulator {
  readonly #model: CheckedModel
  readonly #modes: ModeShares
  readonly #visits = new Map<string, number>()
  #interactions = 0
  #most = 0
  #thinkMs = 0

  constructor(model: CheckedModel, modes: ModeShares) {
    this.#model = model
    this.#modes = modes
  }

  run(seed: number): void {
    const draw = new Draws(fastRandom(seed))
    const course = new Course(this.#model, draw, 0, (name) => this.#visit(name))
    let now = 0
    let step: Step | undefined = course.first(now)
    while (step !== undefined) {
      if (course.count > mostSimulated) throw tooLong()
      now += step.thinkMs
      step = course.next(now, step.name, this.#modeOf(step.name, draw))
    }
    this.#interactions += course.count
    this.#most = Math.max(this.#most, course.count)
    this.#thinkMs += now
  }

  result(sessions: number): Simulation {
    return {
      sessions,
      visits: Object.fromEntries(this.#visits),
      interactions: this.#interactions,
      mostInteractions: this.#most,
      thinkMs: this.#thinkMs,
    }
  }

  #visit(name: string): void {
    this.#visits.set(name, (this.#visits.get(name) ?? 0) + 1)
  }

  #modeOf(name: string, draw: Draws): string | undefined {
    let left = draw.share()
    for (const [mode, share] of Object.entries(this.#modes[name] ?? {})) {
      left -= share
      if (left < 0) return mode
    }
    return undefined
  }
}

function tooLong(): StoreError {
  const message = `A simulated session has more than ${mostSimulated.toLocaleString('en')} interactions. Interactions take no time there: give think times, or limit sessions by maxCount.`
  return new StoreError('INVALID_ARGUMENT', message)
}
