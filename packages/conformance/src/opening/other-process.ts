import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { newVersion } from '@unikv/core'
import type { OpeningModule } from './opening-options.ts'

/** Input of a script: a line of JSON on its standard input. */
interface Task {
  readonly url: string
  readonly make: string
  readonly prepare: string | undefined
  readonly drivers: readonly string[]
  readonly options: object
  readonly version: string
}

/** Reads its task, and names the drivers that are loaded before the first call. */
const loading = `
import { register } from 'node:module'
import { createInterface } from 'node:readline'
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const task = JSON.parse((await lines.next()).value)
const hooks = \`
import { writeSync } from 'node:fs'
const drivers = \${JSON.stringify(task.drivers)}
export async function resolve(specifier, context, next) {
  if (drivers.some((name) => specifier === name || specifier.startsWith(name + '/'))) writeSync(1, specifier + '\\\\n')
  return next(specifier, context)
}\`
register('data:text/javascript,' + encodeURIComponent(hooks))
const adapter = await import(task.url)
const store = adapter[task.make](task.options)
await new Promise((done) => setImmediate(done))
process.exit(0)
`

/** Reads its task, says that it is ready, and prepares (or makes a store and sets a key) when it is told to. */
const preparing = `
import { createInterface } from 'node:readline'
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const task = JSON.parse((await lines.next()).value)
const adapter = await import(task.url)
process.stdout.write('ready\\n')
await lines.next()
if (task.prepare !== undefined) await adapter[task.prepare](task.options)
else {
  const store = adapter[task.make](task.options)
  const set = { type: 'set', key: process.pid + '', value: Buffer.from('v'), version: task.version }
  const [result] = await store.write([set], { deadlineAt: performance.now() + 60_000 })
  if (result instanceof Error) throw result
  await store.close()
}
process.exit(0)
`

/** The drivers that a process loads when it imports the adapter and makes a store. */
export async function loadedBefore(module: OpeningModule, options: object): Promise<readonly string[]> {
  const child = start(loading, module, options)
  const lines = await ended(child)
  return [...new Set(lines)]
}

/** Two processes that prepare a dataset at the same time. */
export async function prepareInTwo(module: OpeningModule, options: object): Promise<void> {
  const children = [start(preparing, module, options), start(preparing, module, options)]
  const ends = children.map(ended)
  await Promise.race([
    Promise.all(children.map(({ stdout }) => once(stdout as never, 'data'))),
    Promise.all(ends),
  ])
  for (const { stdin } of children) stdin?.write('go\n')
  await Promise.all(ends)
}

function start(
  script: string,
  { url, make, prepare, drivers = [] }: OpeningModule,
  options: object,
): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })
  const task: Task = { url: String(url), make, prepare, drivers, options, version: newVersion() }
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify(task)}\n`)
  return child
}

/** The lines that a process wrote, when it has ended well. */
async function ended(child: ChildProcess): Promise<readonly string[]> {
  const text = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => (text.out += String(chunk)))
  child.stderr?.on('data', (chunk) => (text.err += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The other process ended with ${code}: ${text.err}`)
  return text.out.split('\n').filter((line) => line !== '')
}
