import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly name: string
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<unknown>
}

/** Start workers over the virtual store, when all of them wait for jobs. */
export async function workers(
  url: string,
  names: readonly string[],
  time: 'virtual' | 'real' = 'real',
): Promise<readonly WorkerProcess[]> {
  const built = fileURLToPath(new URL('../../dist/workers/index.js', import.meta.url))
  if (!existsSync(built)) throw new Error(`${built} is not there: build first (npm run build)`)
  return Promise.all(names.map((name) => started(url, name, time)))
}

async function started(url: string, name: string, time: string): Promise<WorkerProcess> {
  const file = fileURLToPath(new URL('fixtures/worker.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, url, name, time], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await said(child, 'waits for runs')
  return { name, ended, kill: (signal) => void child.kill(signal) }
}

function said(child: ChildProcess, words: string): Promise<void> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString()
      if (text.includes(words)) resolve()
    })
    child.on('exit', () => reject(new Error(`the worker ended before it said '${words}': ${text}`)))
  })
}

/** All keys of a server and what they hold, as text. */
export async function contents(url: string): Promise<ReadonlyMap<string, string>> {
  const redis = new Redis(url)
  const found = new Map<string, string>()
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    const read: Readonly<Record<string, () => Promise<unknown>>> = {
      string: () => redis.get(key),
      hash: () => redis.hgetall(key),
      list: () => redis.lrange(key, 0, -1),
      set: () => redis.smembers(key),
      zset: () => redis.zrange(key, '0', '-1'),
      stream: () => redis.xrange(key, '-', '+'),
    }
    found.set(key, JSON.stringify(await read[type]?.()))
  }
  redis.disconnect()
  return found
}
