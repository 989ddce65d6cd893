import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { afterAll, expect, inject } from 'vitest'
import { inClone } from './run.ts'

const run = promisify(execFile)

/** One process of an application. */
export interface Served {
  readonly url: string
  readonly output: () => string
  stop(): Promise<void>
}

/**
 * An application of Next.js outside of the clone: installed and built with the packed packages, and served by two processes
 * on one Redis. What it shows comes from an origin, each of whose answers is another one. It ends after all tests.
 */
export class NextApplication {
  /** Answers of the origin so far. */
  answers = 0
  declare redis: OwnServer
  declare servers: Served[]
  #folder = ''
  #environment: NodeJS.ProcessEnv = {}
  /** Ends whatever was started, the last first. */
  readonly #ends: (() => unknown)[] = []

  constructor() {
    afterAll(async () => {
      for (const end of this.#ends.reverse()) await end()
    })
  }

  /** Copies these files and folders of `tests/outside` into one folder, and runs what is in it. */
  async start(...paths: (readonly [from: string, to: string])[]): Promise<void> {
    this.redis = await ownServer('redis')
    this.#ends.push(() => this.redis.stop())
    const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...inherited } = process.env
    const own = { NEXT_TELEMETRY_DISABLED: '1', ORIGIN: await this.#origin(), REDIS_URL: this.redis.url }
    this.#environment = { ...inherited, ...own }
    this.#folder = await realpath(await mkdtemp(join(tmpdir(), 'unikv-next-')))
    this.#ends.push(() => rm(this.#folder, { recursive: true, force: true }))
    for (const [from, to] of paths)
      await cp(inClone(`tests/outside/${from}`), join(this.#folder, to), { recursive: true })
    const options = { cwd: this.#folder, env: this.#environment, maxBuffer: 2 ** 26 }
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], options)
    const packages = 'node_modules/@unikv'
    for (const name of ['core', 'next', 'redis'])
      await cp(join(inject('bare'), packages, name), join(this.#folder, packages, name), { recursive: true })
    await run(process.execPath, ['node_modules/next/dist/bin/next', 'build'], options)
    this.servers = await Promise.all([this.serve(), this.serve()])
  }

  /** One more process of the application. */
  async serve(): Promise<Served> {
    const args = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1']
    const child = spawn(process.execPath, args, { cwd: this.#folder, env: this.#environment })
    let output = ''
    const url = new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error(output)))
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part) => {
          output += part
          const [, found] = /(http:\/\/127\.0\.0\.1:\d+)[^]*Ready/.exec(output) ?? []
          if (found !== undefined) resolve(found)
        })
    })
    const stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    this.#ends.push(stop)
    return { url: await url, output: () => output, stop }
  }

  /** The address of a path of one of the servers. */
  at(server: number, path: string): string {
    return `${this.servers[server]?.url}${path}`
  }

  /** The text that a page shows. */
  async shown(server: number, path: string): Promise<string> {
    const response = await fetch(this.at(server, path))
    const text = await response.text()
    return /id="value">([^<]*)</.exec(text)?.[1] ?? `${response.status} ${text}`
  }

  /** Next.js answers before it has called the handlers: `changed` waits for them. */
  async revalidate(server: number, what: Record<string, string>): Promise<void> {
    const query = String(new URLSearchParams(what))
    const response = await fetch(this.at(server, `/revalidate?${query}`), { method: 'POST' })
    expect(response.status).toBe(200)
  }

  /** The text that a process shows in place of `before`, as soon as it does. */
  async changed(server: number, path: string, before: string): Promise<string> {
    const seen = expect.poll(async () => this.shown(server, path), { timeout: 60_000, interval: 20 })
    await seen.not.toBe(before)
    return this.shown(server, path)
  }

  /** The text that all processes show: the same, again and again. */
  async agreed(path: string): Promise<string> {
    const seen: string[] = []
    for (const server of [0, 1, 0, 1]) seen.push(await this.shown(server, path))
    expect(new Set(seen).size, `${path}: ${seen.join(', ')}`).toBe(1)
    expect(seen[0]).toMatch(/^answer \d+$/)
    return seen[0] ?? ''
  }

  /** Waits until all processes show the same. */
  async settled(path: string): Promise<void> {
    const seen = expect.poll(async () => this.agreed(path).catch(() => undefined), { timeout: 60_000 })
    await seen.toBeDefined()
  }

  async #origin(): Promise<string> {
    const origin = createServer((_, response) => void response.end(`answer ${++this.answers}`))
    origin.listen(0, '127.0.0.1')
    await once(origin, 'listening')
    this.#ends.push(() => origin.close())
    return `http://127.0.0.1:${(origin.address() as AddressInfo).port}`
  }
}
