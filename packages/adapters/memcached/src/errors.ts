import type { StoreError } from '@unikv/core'
import { lostAnswer, type Meaning, told } from '@unikv/core/adapter'

const denied: Meaning = {
  code: 'ACCESS_DENIED',
  message: '{where} rejected the user. Check username and password of auth.',
}

/** Found by words in a line of the server; the first that fits. */
const meanings: readonly (readonly [RegExp, Meaning])[] = [
  [
    /object too large/,
    {
      code: 'VALUE_TOO_LARGE',
      message: '{where} rejected the item because of its size (-I); the earlier value of the key is gone.',
    },
  ],
  [/unauthenticated|authentication failure/, denied],
  [
    /Too many open connections/,
    {
      code: 'OVERLOADED',
      message: '{where} accepts no more connections (-c); nothing was sent.',
    },
  ],
  // A proxy may say so after the effect.
  [/^SERVER_ERROR/, lostAnswer],
]

const noMemory: Readonly<Record<'read' | 'write', Meaning>> = {
  read: { code: 'OVERLOADED', message: '{where} has no memory for the reply.' },
  write: {
    code: 'STORE_FULL',
    message: '{where} is out of memory and evicts nothing; the earlier value of the key may be gone.',
  },
}

const refused: Meaning = {
  code: 'UNAVAILABLE',
  message: '{where} refused the command; nothing was changed.',
  retryable: false,
}

/** Meaning of an error line of the server. `where` is the server, `OUTCOME_UNKNOWN` is for writes alone. */
export function errorOfLine(line: string, where: string, isWrite: boolean): StoreError {
  const meaning = line.startsWith('SERVER_ERROR out of memory')
    ? noMemory[isWrite ? 'write' : 'read']
    : (meanings.find(([said]) => said.test(line))?.[1] ?? refused)
  return told(meaning, new Error(line), { where, isWrite })
}
