import { type HistoryOperation, step, type Token } from './operation.ts'

/** The verdict of the checker on a history. */
export type Judgement =
  | { readonly linearizable: true; readonly operations: number; readonly keys: number }
  | {
      readonly linearizable: false
      readonly key: string
      /** All operations on this key, by the time of their call. */
      readonly operations: readonly HistoryOperation[]
      /** The operation that no order could explain, in the order that came furthest. */
      readonly stuckAt: HistoryOperation
    }

/**
 * Judge whether a history of a map of registers is linearizable: whether each operation can be given one moment
 * between its call and its answer, so that everybody saw what was there. Keys are judged one by one, as linearizability
 * is local (Herlihy and Wing, 1990). All keys are absent at first.
 *
 * The search is that of Wing and Gong (1993) with the memory of Lowe (2017): never the same set of operations in the
 * same state twice. Operations of unknown outcome may take effect at any later time, or never; one that no call would see
 * is left out, as otherwise every set of them would be tried.
 */
export function judge(history: readonly HistoryOperation[]): Judgement {
  const byKey = grouped(history)
  for (const [key, operations] of byKey) {
    const stuckAt = new Search(operations).run()
    if (stuckAt !== undefined) {
      const sorted = operations.toSorted((a, b) => a.calledAt - b.calledAt)
      return { linearizable: false, key, operations: sorted, stuckAt }
    }
  }
  return { linearizable: true, operations: history.length, keys: byKey.size }
}

function grouped(history: readonly HistoryOperation[]): Map<string, HistoryOperation[]> {
  const groups = new Map<string, HistoryOperation[]>()
  for (const operation of history) {
    const group = groups.get(operation.key)
    if (group === undefined) groups.set(operation.key, [operation])
    else group.push(operation)
  }
  return groups
}

/** A call or an answer, in the order of time. Answers that never came are not in the list. */
interface Moment {
  readonly operation: HistoryOperation
  /** For a call: its answer, if it came. */
  answer: Moment | undefined
  readonly isCall: boolean
  /** For the set of operations that have had their moment. */
  readonly mark: number
  previous: Moment | undefined
  next: Moment | undefined
}

/** A choice that was made, to be undone. */
interface Choice {
  readonly call: Moment
  readonly before: Token | undefined
}

class Search {
  readonly #head: Moment
  readonly #seen: Memory = new Map()
  /** The same, where the last operation is of unknown outcome: less may follow it. */
  readonly #seenUnknown: Memory = new Map()
  readonly #choices: Choice[] = []
  #state: Token | undefined
  /** Sum of the marks of the operations that have had their moment: equal sets, equal sums. */
  #chosen = 0
  /** Answers that no moment explains yet. */
  #due: number
  #deepest = -1
  #stuckAt: HistoryOperation | undefined

  constructor(operations: readonly HistoryOperation[]) {
    this.#head = listOf(operations)
    this.#due = operations.filter(({ returnedAt }) => returnedAt !== Number.POSITIVE_INFINITY).length
  }

  /** The operation at which every order fails; `undefined` if one does not. */
  run(): HistoryOperation | undefined {
    let at = this.#head.next
    while (this.#due > 0) {
      if (at?.isCall === true) at = this.#choose(at) ? this.#head.next : at.next
      else {
        this.#note(at)
        const last = this.#choices.pop()
        if (last === undefined) return this.#stuckAt
        at = this.#undo(last)
      }
    }
    return undefined
  }

  /** Give an operation its moment now, if it explains what its caller saw and leads to something new. */
  #choose(call: Moment): boolean {
    const next = step(call.operation, this.#state)
    if (next === undefined || this.#isInVain(call, next.state)) return false
    const seen = isUnknown(call) ? this.#seenUnknown : this.#seen
    if (!isNew(seen, this.#chosen + call.mark, next.state)) return false
    this.#choices.push({ call, before: this.#state })
    this.#state = next.state
    this.#chosen += call.mark
    unlink(call)
    if (call.answer !== undefined) {
      unlink(call.answer)
      this.#due--
    }
    return true
  }

  #undo({ call, before }: Choice): Moment | undefined {
    this.#state = before
    this.#chosen -= call.mark
    if (call.answer !== undefined) {
      relink(call.answer)
      this.#due++
    }
    relink(call)
    return call.next
  }

  /**
   * Whether an order without an operation of unknown outcome is as good: it changes nothing, or what it wrote is
   * overwritten unseen.
   */
  #isInVain(call: Moment, after: Token | undefined): boolean {
    if (isUnknown(call) && after === this.#state) return true
    const last = this.#choices.at(-1)?.call
    return last !== undefined && isUnknown(last) && isBlind(call.operation)
  }

  #note(answer: Moment | undefined): void {
    if (this.#choices.length <= this.#deepest) return
    this.#deepest = this.#choices.length
    this.#stuckAt = answer?.operation
  }
}

/** Sums of marks, by the state that they led to. */
type Memory = Map<Token | undefined, Set<number>>

function isNew(memory: Memory, chosen: number, state: Token | undefined): boolean {
  const seen = memory.get(state)
  if (seen === undefined) memory.set(state, new Set([chosen]))
  else if (seen.has(chosen)) return false
  else seen.add(chosen)
  return true
}

/** Whether an order need not have the operation. */
function isUnknown({ answer }: Moment): boolean {
  return answer === undefined
}

/** Whether it takes effect over any state of the key. */
function isBlind(operation: HistoryOperation): boolean {
  return operation.type === 'write' && operation.result !== 'refused' && operation.ifToken === undefined
}

/** All calls and answers by time; a call before an answer of the same moment, as they may have overlapped. */
function listOf(operations: readonly HistoryOperation[]): Moment {
  const moments = operations.flatMap((operation) => {
    const mark = Math.floor(Math.random() * markRange)
    const call: Moment = {
      operation,
      isCall: true,
      mark,
      answer: undefined,
      previous: undefined,
      next: undefined,
    }
    if (operation.returnedAt === Number.POSITIVE_INFINITY) return [call]
    call.answer = { operation, isCall: false, mark, answer: undefined, previous: undefined, next: undefined }
    return [call, call.answer]
  })
  const timeOf = ({ isCall, operation }: Moment): number =>
    isCall ? operation.calledAt : operation.returnedAt
  moments.sort((a, b) => timeOf(a) - timeOf(b) || Number(b.isCall) - Number(a.isCall))
  const [first] = operations
  const head: Moment = {
    ...(moments[0] as Moment),
    operation: first as HistoryOperation,
    previous: undefined,
  }
  let last = head
  for (const moment of moments) {
    last.next = moment
    moment.previous = last
    last = moment
  }
  return head
}

/** Sums of 2 ** 17 marks stay exact, and two different sets have one sum with a chance of 2 ** -36. */
const markRange = 2 ** 36

function unlink({ previous, next }: Moment): void {
  if (previous !== undefined) previous.next = next
  if (next !== undefined) next.previous = previous
}

function relink(moment: Moment): void {
  const { previous, next } = moment
  if (previous !== undefined) previous.next = moment
  if (next !== undefined) next.previous = moment
}
