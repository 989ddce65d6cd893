import type { HistoryOperation, HistoryWrite, Token } from '../../src/history/operation.ts'
import { mulberry32 } from '../../src/schedules/random.ts'

/** One call on its way through a simulated register. */
export interface SimulatedCall {
  readonly client: number
  readonly key: string
  readonly isRead: boolean
  /** Of a write: what it leaves (`undefined`: a delete). */
  readonly token: Token | undefined
  readonly ifToken: Token | null | undefined
}

/** What its caller is told; `failed` is an error that says that nothing was changed. */
export type SimulatedAnswer =
  | { readonly found: Token | undefined }
  | { readonly applied: true }
  | { readonly refused: true; readonly found?: Token | undefined }
  | { readonly failed: true }
  | { readonly unknown: true }

/** A register under simulation: correct, or with a bug. All effects are called in the order of virtual time. */
export interface SimulatedStore {
  /** The moment of a call at the server. `later` runs a task after this much virtual time. */
  effect(
    call: SimulatedCall,
    random: () => number,
    later: (delay: number, task: () => void) => void,
  ): SimulatedAnswer
  /** The answer is given before the effect is done, so much later. */
  readonly effectAfterAnswer?: number
}

/** A correct register for many keys: what bugs are planted into. */
export class CorrectRegister implements SimulatedStore {
  readonly state = new Map<string, Token>()

  effect(
    call: SimulatedCall,
    random: () => number,
    later: (delay: number, task: () => void) => void,
  ): SimulatedAnswer {
    if (call.isRead) return { found: this.state.get(call.key) }
    // Lost on the way there, or on the way back.
    const fate = random()
    if (fate < 0.02) return { unknown: true }
    if (fate < 0.04) {
      later(random() * 30, () => this.apply(call))
      return { unknown: true }
    }
    const answer = this.apply(call)
    return fate < 0.08 ? { unknown: true } : answer
  }

  apply({ key, token, ifToken }: SimulatedCall): SimulatedAnswer {
    const present = this.state.get(key)
    if (ifToken !== undefined && present !== (ifToken ?? undefined)) return { refused: true, found: present }
    this.put(key, token)
    return { applied: true }
  }

  put(key: string, token: Token | undefined): void {
    if (token === undefined) this.state.delete(key)
    else this.state.set(key, token)
  }
}

interface Event {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** Let eight clients work on three keys in virtual time, and write down what they saw. */
export function simulate(store: SimulatedStore, seed: number, operations = 400): readonly HistoryOperation[] {
  const random = mulberry32(seed)
  const history: HistoryOperation[] = []
  const events: Event[] = []
  let now = 0
  let order = 0
  let left = operations
  const later = (delay: number, task: () => void): void => {
    events.push({ at: now + delay, order: order++, run: task })
  }
  const clients = Array.from({ length: 8 }, (_, client) => ({
    client,
    known: new Map<string, Token | undefined>(),
  }))
  const turn = ({ client, known }: (typeof clients)[number]): void => {
    if (left-- <= 0) return
    const call = chosenCall(client, known, random, operations - left)
    const calledAt = now
    const settle = (answer: SimulatedAnswer): void => {
      later(random() * 5, () => {
        const seen = operationOf(call, answer, calledAt, now)
        if (seen !== undefined) history.push(seen)
        if ('found' in answer) known.set(call.key, answer.found)
        else if ('applied' in answer) known.set(call.key, call.token)
        later(random() * 2, () => turn({ client, known }))
      })
    }
    later(random() * 5, () => {
      if (store.effectAfterAnswer === undefined || call.isRead)
        return settle(store.effect(call, random, later))
      later(store.effectAfterAnswer + random() * 10, () => void store.effect(call, random, later))
      settle({ applied: true })
    })
  }
  clients.forEach(turn)
  while (events.length > 0) {
    let first = 0
    for (let i = 1; i < events.length; i++)
      if (isBefore(events[i] as Event, events[first] as Event)) first = i
    const [event] = events.splice(first, 1) as [Event]
    now = event.at
    event.run()
  }
  return history
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function chosenCall(
  client: number,
  known: ReadonlyMap<string, Token | undefined>,
  random: () => number,
  number: number,
): SimulatedCall {
  const key = `key ${Math.floor(random() * 3)}`
  const dice = random()
  if (dice < 0.4) return { client, key, isRead: true, token: undefined, ifToken: undefined }
  const ifToken = dice < 0.65 ? undefined : (known.get(key) ?? null)
  const isDelete = ifToken !== null && random() < 0.2
  return { client, key, isRead: false, token: isDelete ? undefined : `token ${number}`, ifToken }
}

function operationOf(
  { key, isRead, token, ifToken }: SimulatedCall,
  answer: SimulatedAnswer,
  calledAt: number,
  returnedAt: number,
): HistoryOperation | undefined {
  if (isRead)
    return 'found' in answer && !('refused' in answer)
      ? { type: 'read', key, calledAt, returnedAt, found: answer.found }
      : undefined
  const write: Omit<HistoryWrite, 'result'> = { type: 'write', key, calledAt, returnedAt, token, ifToken }
  if ('applied' in answer) return { ...write, result: 'applied' }
  if ('unknown' in answer) return { ...write, returnedAt: Number.POSITIVE_INFINITY, result: 'unknown' }
  return 'refused' in answer ? { ...write, result: 'refused', found: answer.found } : undefined
}
