import { type Bytes, isStoreError, type Store, type StoreError, type Written } from '@unikv/core'
import type { Question } from '../line-store/line-server.ts'
import { type Ask, askOnce, lineStore } from '../line-store/line-store.ts'

/** A client of the line server with one fault, and the case of `networkFaults` that must find it. */
export interface BrokenNetwork {
  readonly fault: string
  /** Title of a case that must fail. */
  readonly found: string
  /** A store over this address. */
  readonly open: (url: string) => Store<Bytes>
  /** The server takes a line that was cut off for a whole one. */
  readonly appliesHalves?: boolean
}

/** Titles of cases. */
export const cases = {
  lost: (deed: string): string => `a lost reply of ${deed} is told truly and has no second effect`,
  under: (accident: string): string =>
    `${accident}: calls end in time and tell the truth, and the store recovers`,
}

/** A client that asks in its own way. */
export function asking(ask: Ask): Pick<BrokenNetwork, 'open'> {
  return { open: (url) => lineStore(url, ask) }
}

/** A client that goes wrong where a sound one fails: `failed` makes an answer of the error, or throws another. */
export function failing(
  failed: (error: StoreError, again: () => Promise<unknown>, question: Question) => unknown,
): Pick<BrokenNetwork, 'open'> {
  return asking(async (client, question, call) => {
    try {
      return await askOnce(client, question, call)
    } catch (error) {
      // A deadline that came is no failure of the network.
      if (!isStoreError(error) || performance.now() >= call.deadlineAt) throw error
      return failed(error, () => askOnce(client, question, call), question)
    }
  })
}

/** A client that asks again if a reply is lost. */
export function resending(concerns: (question: Question) => boolean): Pick<BrokenNetwork, 'open'> {
  return failing(async (error, again, question) => {
    if (error.code !== 'OUTCOME_UNKNOWN' || !concerns(question)) throw error
    return again()
  })
}

/** Whether all mutations are of this kind. */
export function writes(
  type: 'set' | 'delete' | 'touch' | 'increment',
  conditional = false,
): (question: Question) => boolean {
  return (question) =>
    question.verb === 'write' &&
    question.items.every((item) => item.type === type && (item.ifVersion !== undefined) === conditional)
}

/** What a server would say to these writes. */
export function success(question: Question): readonly Written[] {
  return question.verb === 'write' ? question.items.map(({ version }) => ({ version })) : []
}
