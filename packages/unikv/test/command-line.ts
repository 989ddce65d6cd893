import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { run } from '../src/cli/program.ts'

/** The program that `npx unikv` runs. */
export const main = fileURLToPath(new URL('../bin/unikv.js', import.meta.url))

/** How a run of it ended. */
export interface Outcome {
  /** Its exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** The folder that it runs in: one for each file of tests. */
export const root = mkdtempSync(join(tmpdir(), 'unikv-main-'))
beforeAll(() => {
  const built = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  if (!existsSync(built)) throw new Error(`${built} is not there: build first (npm run build)`)
})
afterAll(() => rm(root, { recursive: true }))

/** Run the command line in `root`. `watch` sees what it writes to stderr, and may signal it. */
export function unikv(
  args: readonly string[],
  watch?: (err: string, signal: (name: NodeJS.Signals) => void) => void,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString()
    watch?.(err, (name) => child.kill(name))
  })
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code: code ?? signal, out, err })),
  )
}

/** Where commands leave the process: a folder that stays, whichever folder an earlier test was in. */
const home = fileURLToPath(new URL('../../..', import.meta.url))

/** The same in this process: where nothing depends on there being another one. `watch` may interrupt it as Ctrl-C does. */
export async function inProcess(
  args: readonly string[],
  watch?: (err: string, interrupt: () => void) => void,
): Promise<Outcome> {
  process.chdir(root)
  let [out, err] = ['', '']
  let interrupt = (): void => {}
  const write = {
    out: (text: string) => void (out += text),
    error: (text: string) => {
      err += text
      watch?.(err, interrupt)
    },
  }
  const onInterrupt = (interrupted: () => void): void => void (interrupt = interrupted)
  try {
    const code = await run({ arguments: args, ...write, columns: undefined, onInterrupt })
    return { code, out, err }
  } finally {
    process.chdir(home)
  }
}

/** Options of a short `bench run`. */
export const shortRun = ['--records', '50', '--operations', '60', '--warmup', '0', '--runs', '2']

/** A short `bench run` in this process. */
export function benchRun(...args: readonly string[]): Promise<Outcome> {
  return inProcess(['bench', 'run', ...args, ...shortRun])
}

/** Options of a short `bench run` over operations that take so long. */
export async function waiting(ms: number): Promise<readonly string[]> {
  const file = join(root, `takes-${ms}.mjs`)
  const bench = fileURLToPath(new URL('../../bench/dist/index.js', import.meta.url))
  const text = `import { defineWorkload } from ${JSON.stringify(bench)}
export default defineWorkload({ name: 'waits', operations: { wait: { weight: 1, run: () => new Promise((done) => setTimeout(done, ${ms})) } } })`
  await writeFile(file, text)
  const short = '--records 1 --duration 250ms --warmup 0 --concurrency 2 --runs 3'
  return typed(`--store memory: --workload ${file} ${short}`)
}

/** Options of a short `bench sizes`. */
export const quick = ['--sizes', '100', '--runs', '1', '--operations', '5', '--parallel', '4']

/** The commands of a guide of `unikv bench`, as lists of arguments. */
export async function commandsOfGuide(name: string): Promise<string[][]> {
  const text = await readFile(new URL(`../../../docs/guides/${name}.md`, import.meta.url), 'utf8')
  return [...text.matchAll(/^npx unikv (.*)$/gm)].map(([, line = '']) => typed(line))
}

/** The arguments of a line as somebody types it: divided by blanks, but for what stands in quotes. */
export function typed(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare)
}

/** The output of a command that ends well. */
export async function output(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await inProcess(args)
  expect([code, err]).toEqual([0, ''])
  return out
}

/** Packages of the project in which the commands run. */
export async function install(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const place = join(root, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url)), place)
  }
}
