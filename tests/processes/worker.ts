import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Answered, Asked, BothStats, Told, WorkerSetting } from './protocol.ts'

/** Makes one file of the program that the processes run, so that they start fast. Answers its path. */
export async function bundleWorker(folder: string): Promise<string> {
  const script = join(folder, 'worker.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('./fixtures/cache-worker.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@unikv/source'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
    },
    logLevel: 'error',
  })
  return script
}

/** A process with its caches. */
export class Worker {
  /** Resolves when it has opened its stack. */
  readonly ready: Promise<void>
  /** Resolves when it has ended, by itself (with its statistics) or killed. */
  readonly over: Promise<BothStats | undefined>
  onLoading: () => void = () => {}
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, { resolve(answered: Answered): void; reject(error: Error): void }>()
  #stats: BothStats | undefined
  #onStats: (stats: BothStats) => void = () => {}
  #asked = 0

  constructor(script: string, setting: WorkerSetting) {
    this.#child = fork(script, [JSON.stringify(setting)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.ready = new Promise((resolve) => {
      this.#child.on('message', (told: Told) => {
        if (told.what === 'ready') resolve()
        else this.#hear(told)
      })
    })
    this.over = once(this.#child, 'exit').then(([code, signal]) => {
      for (const waiting of this.#waiting.values()) waiting.reject(new Error('The process has ended.'))
      if (code !== 0 && signal !== 'SIGKILL') throw new Error(`A process ended with ${code ?? signal}.`)
      return this.#stats
    })
    this.over.catch(() => {}) // for whoever waits for it
  }

  get(key: string, options: Pick<Asked, 'atMs' | 'timeoutMs'> = {}): Promise<Answered> {
    return this.#ask({ call: 'get', key, ...options })
  }

  set(key: string, value: string, options: Pick<Asked, 'timeoutMs'> = {}): Promise<Answered> {
    return this.#ask({ call: 'set', key, value, ...options })
  }

  stats(): Promise<BothStats> {
    return new Promise((resolve) => {
      this.#onStats = resolve
      this.#child.send('stats')
    })
  }

  async close(): Promise<void> {
    this.#child.send('close')
    await this.over
  }

  /** Gives it no time (SIGSTOP) until `resume`. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.over.catch(() => {}) // told to whoever waits for its end
  }

  #ask(call: Omit<Asked, 'id'>): Promise<Answered> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ ...call, id })
    })
  }

  #hear(told: Told): void {
    if (told.what === 'loading') this.onLoading()
    else if (told.what === 'stats') this.#onStats(told)
    else if (told.what === 'over') this.#stats = told
    else if (told.what === 'answer') {
      this.#waiting.get(told.id)?.resolve(told)
      this.#waiting.delete(told.id)
    }
  }
}
