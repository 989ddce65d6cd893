import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Contestant, Round } from './rounds.ts'

/** A contestant in a process of its own, so that the compiler sees its calls alone. */
export interface Apart<T> extends Contestant {
  /** What the process said when it was ready. */
  readonly said: T
  /** End the process. */
  end(): void
}

/** Start `module` with this name as its argument: it says something when it is ready, then a round to each message. */
export async function ownProcess<T>(module: URL, name: string): Promise<Apart<T>> {
  const child = fork(module, [name])
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The process of "${name}" ended with ${code}.`)))
  })
  failed.catch(() => {}) // It ends when it is told to, too.
  const answer = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), failed])) as [unknown]
    return message
  }
  return {
    name,
    said: (await answer()) as T,
    run: () => {
      const round = answer()
      child.send('round')
      return round as Promise<Round>
    },
    end: () => void child.kill(),
  }
}
