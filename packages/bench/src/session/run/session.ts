import { StoreError } from '@unikv/core'
import { invalidConfig, kindOf } from '@unikv/core/adapter'
import type { Answer, Benchmark, Execution, Interaction, Visit } from '../model/benchmark.ts'
import { Course, type Step } from '../model/course.ts'
import type { Draws } from '../model/draws.ts'
import { drawnValue, isOfInteraction, type ParameterValue, type Place } from '../model/parameters.ts'
import { type CheckedModel, missingParam, unknownError } from '../model/session-model.ts'

/** A session that passes by so many interactions without one of their parameters never comes to one that it can execute. */
const mostMissing = 1_000

/** The surroundings that sessions share. */
export interface SessionContext<Db, State> {
  readonly benchmark: Benchmark<Db, State>
  readonly model: CheckedModel
  /** Told of each interaction that is over, with its result mode. */
  readonly onMode: (name: string, mode: string) => void
}

/** One session of a user: it prepares interactions, executes them one by one and learns from their answers. */
export class Session<Db, State> {
  readonly place: Place
  readonly #context: SessionContext<Db, State>
  readonly #course: Course
  readonly #visit: Visit<State>
  readonly #values: Record<string, ParameterValue> = {}
  #name = ''
  #params: unknown

  constructor(context: SessionContext<Db, State>, user: number, draw: Draws, place: Place, now: number) {
    this.place = place
    this.#context = context
    this.#course = new Course(context.model, draw, now)
    for (const [name, parameter] of Object.entries(context.model.parameters))
      this.#values[name] = drawnValue(parameter, place, draw)
    this.#visit = { state: context.benchmark.begin(this.#values), values: this.#values, user, draw }
  }

  /** The interaction that is prepared. */
  get name(): string {
    return this.#name
  }

  /** Interactions that were prepared so far. */
  get count(): number {
    return this.#course.count
  }

  /** Prepare the first interaction. Returns the think time before it; `undefined`: the session is over. */
  begin(now: number): number | undefined {
    return this.#prepared(now, this.#course.first(now))
  }

  /** Execute the interaction that is prepared. */
  async execute(db: Db, execution: Execution): Promise<Answer> {
    const { execute, modes = [] } = this.#interaction
    const answer = await execute(this.#params, db, execution)
    if (Object(answer) !== answer)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `${this.#name} must answer with an object, got ${kindOf(answer)}.`,
      )
    if (answer.mode === undefined || modes.includes(answer.mode)) return answer
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${this.#name} ended with the mode ${String(answer.mode)}, which it does not declare in \`modes\`.`,
    )
  }

  /** Learn from an answer, `undefined` if the execution failed, and prepare what follows. Returns as `begin`. */
  complete(now: number, answer: Answer | undefined): number | undefined {
    if (answer !== undefined) this.#interaction.complete?.(this.#visit, answer, this.#params)
    const mode = answer === undefined ? unknownError : answer.mode
    if (mode !== undefined) this.#context.onMode(this.#name, mode)
    return this.#prepared(now, this.#course.next(now, this.#name, mode))
  }

  get #interaction(): Interaction<Db, State> {
    return this.#context.benchmark.interactions[this.#name] as Interaction<Db, State>
  }

  /** Go on to the first interaction that has its parameters. */
  #prepared(now: number, first: Step | undefined): number | undefined {
    let step = first
    let thinkMs = 0
    for (let missing = 0; step !== undefined; missing++) {
      thinkMs += step.thinkMs
      this.#name = step.name
      this.#drawAnew()
      this.#params = this.#interaction.prepare(this.#visit)
      if (this.#params !== undefined) return thinkMs
      if (missing >= mostMissing) throw endless(step.name)
      this.#context.onMode(step.name, missingParam)
      step = this.#course.next(now + thinkMs, step.name, missingParam)
    }
    return undefined
  }

  #drawAnew(): void {
    for (const [name, parameter] of Object.entries(this.#context.model.parameters))
      if (isOfInteraction(parameter)) this.#values[name] = drawnValue(parameter, this.place, this.#visit.draw)
  }
}

function endless(name: string): StoreError {
  return invalidConfig(
    `A session passed by ${mostMissing.toLocaleString('en')} interactions that lack a parameter; the last one was ${name}. Let it come to an interaction that needs none.`,
  )
}
