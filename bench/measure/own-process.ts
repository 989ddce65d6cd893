import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Contestant, Round } from './rounds.ts'

/** A contestant in processes of its own. */
export interface Apart<T> extends Contestant {
  /** Message of its last process, sent when that was ready. */
  readonly said: T | undefined
}

/**
 * A contestant whose every round is a new process of `module`, with this name as its argument: the compiler sees its
 * calls alone, and what it happens to make of them differs from process to process. The process says something when
 * it is ready, then a round to each message; the first one warms it up.
 */
export function ownProcess<T>(module: URL, name: string): Apart<T> {
  let said: T | undefined
  return {
    name,
    get said() {
      return said
    },
    run: async () => {
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
      const round = (): Promise<unknown> => {
        child.send('round')
        return answer()
      }
      said = (await answer()) as T
      await round()
      const measured = (await round()) as Round
      child.kill()
      return measured
    },
  }
}
