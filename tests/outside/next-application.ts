import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { expect } from 'vitest'
import { NextProject, type Served } from './next-project.ts'

/**
 * An application of Next.js outside of the clone: installed and built with the packed packages, and served by two processes
 * on one Redis. What it shows comes from an origin, each of whose answers is another one. It ends after all tests.
 */
export class NextApplication extends NextProject {
  /** Answers of the origin so far. */
  answers = 0
  declare redis: OwnServer
  declare servers: Served[]

  /** Copies these files and folders of `tests/outside` into one folder, and runs what is in it. */
  async start(...paths: (readonly [from: string, to: string])[]): Promise<void> {
    this.redis = await ownServer('redis')
    this.atEnd(() => this.redis.stop())
    const packages = ['core', 'next', 'redis'].map((name) => `@unikv/${name}`)
    await this.build({ ORIGIN: await this.#origin(), REDIS_URL: this.redis.url }, packages, paths)
    this.servers = await Promise.all([this.serve(), this.serve()])
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
    this.atEnd(() => origin.close())
    return `http://127.0.0.1:${(origin.address() as AddressInfo).port}`
  }
}
