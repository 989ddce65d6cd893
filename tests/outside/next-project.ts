import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, inject } from 'vitest'
import { inClone } from './run.ts'

const run = promisify(execFile)
const next = 'node_modules/next/dist/bin/next'

/** One process of an application. */
export interface Served {
  readonly url: string
  readonly output: () => string
  stop(): Promise<void>
}

/** A project of Next.js outside of the clone: installed and built with the packed packages. It ends after all tests. */
export class NextProject {
  #folder = ''
  #environment: NodeJS.ProcessEnv = {}
  /** Ends whatever was started, the last first. */
  readonly #ends: (() => unknown)[] = []

  constructor() {
    afterAll(async () => {
      for (const end of this.#ends.reverse()) await end()
    })
  }

  /** Have something ended after all tests. */
  atEnd(end: () => unknown): void {
    this.#ends.push(end)
  }

  /** Copies these files and folders of `tests/outside` into one folder, installs what they need and these modules, and builds it. */
  async build(
    environment: NodeJS.ProcessEnv,
    modules: readonly string[],
    paths: readonly (readonly [from: string, to: string])[],
  ): Promise<void> {
    const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...inherited } = process.env
    this.#environment = { ...inherited, NEXT_TELEMETRY_DISABLED: '1', ...environment }
    this.#folder = await realpath(await mkdtemp(join(tmpdir(), 'unikv-next-')))
    this.atEnd(() => rm(this.#folder, { recursive: true, force: true }))
    for (const [from, to] of paths)
      await cp(inClone(`tests/outside/${from}`), join(this.#folder, to), { recursive: true })
    const options = { cwd: this.#folder, env: this.#environment, maxBuffer: 2 ** 26 }
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], options)
    const installed = (name: string) => join('node_modules', name)
    for (const name of modules) {
      const from = join(inject('bare'), installed(name))
      await cp(from, join(this.#folder, installed(name)), { recursive: true, dereference: true })
    }
    await run(process.execPath, [next, 'build'], options)
  }

  /** One more process of the application. */
  async serve(): Promise<Served> {
    const args = [next, 'start', '--port', '0', '--hostname', '127.0.0.1']
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
    this.atEnd(stop)
    return { url: await url, output: () => output, stop }
  }
}
