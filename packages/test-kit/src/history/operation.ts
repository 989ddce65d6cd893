/** The mark of a write, unique for each write: the version token. `undefined` stands for an absent key. */
export type Token = string

/** One operation on one key, as its caller saw it. */
export type HistoryOperation = HistoryRead | HistoryWrite

interface Seen {
  readonly key: string
  /** When the call was made, by a monotonic clock that all clients share; any unit. */
  readonly calledAt: number
  /** When the answer came; `Infinity` if none ever did. */
  readonly returnedAt: number
}

/** A read and what it found. */
export interface HistoryRead extends Seen {
  readonly type: 'read'
  readonly found: Token | undefined
}

/** A set, a delete (`token` is `undefined`), or one of them under a condition. */
export interface HistoryWrite extends Seen {
  readonly type: 'write'
  readonly token: Token | undefined
  /** Only if the key holds this; `null`: only if it is absent; not given: always. */
  readonly ifToken?: Token | null | undefined
  /**
   * `applied`: it took effect. `refused`: its condition did not hold. `unknown`: it may have taken effect, or may still.
   * A write that certainly had no effect is not part of a history.
   */
  readonly result: 'applied' | 'refused' | 'unknown'
  /** With `refused`: what the store says it found, if it does. */
  readonly found?: Token | undefined
}

/** Whether an operation can take effect on a key that holds `state`, and what it then holds; `undefined`: it cannot. */
export function step(operation: HistoryOperation, state: Token | undefined): Next | undefined {
  if (operation.type === 'read') return operation.found === state ? { state } : undefined
  const { ifToken, token, result, found } = operation
  const holds = ifToken === undefined || (ifToken === null ? state === undefined : state === ifToken)
  if (result !== 'refused') return holds ? { state: token } : undefined
  return holds || (found !== undefined && found !== state) ? undefined : { state }
}

/** The content of a key afterwards. */
export interface Next {
  readonly state: Token | undefined
}
