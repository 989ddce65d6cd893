import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Time of the processor that a call took, in microseconds, chunk by chunk. */
export type Chunks = readonly number[]

/**
 * Measure entrants in processes of their own that take turns chunk by chunk: each entrant runs the n-th chunk just before or after the
 * others do, so that other work of the machine slows them all. A process of `module` has the name of its entrant as argument,
 * says something when it is warm, and answers each message with what a call of the next chunk took.
 */
export async function alternating(
  module: URL,
  names: readonly string[],
  count: number,
): Promise<readonly Chunks[]> {
  const processes = await Promise.all(names.map((name) => warm(module, name)))
  const chunks = names.map((): number[] => [])
  for (let chunk = 0; chunk < count; chunk++)
    for (let i = 0; i < names.length; i++) {
      // Every turn begins with another one, so that no entrant always follows the same garbage.
      const turn = (i + chunk) % names.length
      chunks[turn]?.push(await (processes[turn] as Warm).next())
    }
  for (const { end } of processes) end()
  return chunks
}

interface Warm {
  readonly next: () => Promise<number>
  readonly end: () => void
}

async function warm(module: URL, name: string): Promise<Warm> {
  const child = fork(module, [name])
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The process of "${name}" ended with ${code}.`)))
  })
  failed.catch(() => {}) // It ends when it is told to, too.
  const answer = async (): Promise<unknown> =>
    ((await Promise.race([once(child, 'message'), failed])) as [unknown])[0]
  await answer()
  return {
    next: async () => {
      child.send('next')
      return (await answer()) as number
    },
    end: () => void child.kill(),
  }
}
