/**
 * Compiles every `ts` block of every page as it stands, in one run of each compiler, and runs those that need no server.
 *
 * A reader can paste a block: it shows each import and each name that it uses. A block may go on with the one before it
 * on its page, if the paragraph right above it says "continuing". Comments of a page may not hold code.
 */
import { execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { files, root, verdict } from './workspaces.mjs'

const run = promisify(execFile)
/** In the repository, so that imports lead to the workspaces. */
const folder = join(root, 'node_modules/.cache/doc-blocks')
/** The newest that is supported, and the oldest, which `examples` has (its commands must not hide those of the root). */
const compilers = ['node_modules/typescript', 'examples/node_modules/typescript']
/** Blocks that need a server, a test runner, another process, a file or a package that is not here. */
const remote =
  /@unikv\/(?:cassandra|couchdb|dynamodb|hbase|memcached|mongodb|mysql|postgres|redis|s3|swift|sync|test-kit|conformance|workload)['/]|@aws-sdk|@langchain|'vitest'|\b127\.0\.0\.1|\bprocess\.on\(/
const parallel = 2
/** A failure that no block awaits ends the process, and is told of the block that runs then. */
const runnerText = `process.once('message', async (work) => {
  for (const { name, cwd } of work) {
    process.chdir(cwd)
    const end = await import('./' + name + '.js').then(() => undefined, (error) => error)
    await new Promise((sent) => process.send({ message: end && String(end?.stack ?? end) }, sent))
  }
  process.exit()
})
`
/** Declarations of packages that are not installed here, or have none, as far as blocks use them. */
const absent = `declare module '@langchain/core/stores' {
  export abstract class BaseStore<K, V> {
    abstract mget(keys: K[]): Promise<(V | undefined)[]>
    abstract mset(pairs: [K, V][]): Promise<void>
    abstract mdelete(keys: K[]): Promise<void>
    abstract yieldKeys(prefix?: string): AsyncGenerator<K | string>
  }
}
declare module 'express' {
  type Listener = (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown
  interface Express {
    use(path: string, listener: Listener): this
    use(listener: Listener): this
  }
  const express: { (): Express; json(): Listener }
  export default express
}
`

const pages = files('.', (path) => path.endsWith('.md')).map((page) => ({
  page,
  text: readFileSync(join(root, page), 'utf8'),
}))
const blocks = pages.flatMap(blocksOf)
/** Files that the text around a block says are there. */
const given = {
  dump: 'text',
  'customers.dict': '{"name":"Ada","born":1815},'.repeat(20),
  'suite.yaml': 'job: {}',
  'unikv.config.yaml': 'stores: { users: { url: "memory:", layers: [json] }, visits: "memory:" }',
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const block of blocks) writeFileSync(join(folder, `${block.name}.ts`), sourceOf(block))
writeFileSync(join(folder, 'absent.d.ts'), absent)
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config()))

const problems = [
  ...pages.flatMap(hiddenCode),
  ...blocks.flatMap(declared),
  ...(await wrongImports()),
  ...(await Promise.all(compilers.map(compile))).flat(),
]
const runnable = blocks.filter((block) => !remote.test(sourceOf(block)))
if (problems.length === 0) problems.push(...(await runAll(runnable)))
verdict(`${blocks.length} ts blocks of pages, ${runnable.length} of them run`, problems)

function blocksOf({ page, text }) {
  const found = []
  for (const { 2: block, index } of text.matchAll(/^( *)```ts\n([\s\S]*?)^\1```/gm)) {
    const line = text.slice(0, index).split('\n').length
    const paragraph = text.slice(0, index).trimEnd().split('\n\n').at(-1)
    const before = /\bcontinuing\b/i.test(paragraph) ? found.at(-1) : undefined
    found.push({ page, line, name: `${page.replace(/\W+/g, '-')}-${line}`, text: block, before })
  }
  return found
}

/** A module of its own, behind the blocks that it continues. */
function sourceOf({ before, text }) {
  return `${before === undefined ? '' : sourceOf(before)}// block\n${text}\nexport {}\n`
}

/** A block that only claims that a value is there. */
function declared({ page, line, text }) {
  const claims = /^ *declare (?:const|let|var|(?:abstract )?class|function|namespace) /m.test(text)
  return claims ? [`${page}:${line}: it declares a value that is not there. Make one.`] : []
}

/** A comment of the page with code in it, which a reader of the page does not see. */
function hiddenCode({ page, text }) {
  const prose = text.replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2.*$/gm, (fenced) => fenced.replace(/[^\n]/g, ''))
  const code =
    /^\s*(?:import|export|declare|const|let|var|interface|type|class|(?:async )?function)\b.*[{}=;:'"(]|^\s*ts$/m
  return [...prose.matchAll(/<!--([\s\S]*?)-->/g)]
    .filter(([, comment]) => code.test(comment))
    .map(({ index }) => {
      const line = prose.slice(0, index).split('\n').length
      return `${page}:${line}: a comment holds code. Show it in the block that needs it.`
    })
}

/** Names that `js` blocks import from the packages, and that these do not export. */
async function wrongImports() {
  const found = []
  for (const { page, text } of pages)
    for (const [, , block] of text.matchAll(/^( *)```js\n([\s\S]*?)^\1```/gm))
      for (const [, names, from] of block.matchAll(
        /^import \{([^}]*)\} from '((?:@unikv\/|unikv)[^']*)'/gm,
      )) {
        const exported = await import(from)
        const wanted = names.split(',').map((one) => one.trim().split(' ')[0])
        const missing = wanted.filter((name) => name !== '' && !(name in exported))
        found.push(...missing.map((name) => `${page}: ${from} does not export ${name}`))
      }
  return found
}

function config() {
  const compilerOptions = {
    target: 'es2022', // the newest that TypeScript 5.4 knows
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    outDir: 'dist',
  }
  return { compilerOptions, include: ['*.ts'] }
}

async function compile(compiler) {
  const tsc = join(root, compiler, 'bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    maxBuffer: 2 ** 24,
  }).catch((error) => error)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${compiler}: ${located(line)}`)
}

/** An error of the compiler with the page and line that it is about. */
function located(line) {
  const [, name, row, rest] = /([\w-]+)\.ts\((\d+),\d+\): (.*)/.exec(line) ?? []
  const block = blocks.find((one) => one.name === name)
  if (block === undefined) return line
  const before = sourceOf(block).split('\n').lastIndexOf('// block') + 1
  return `${block.page}:${block.line + Number(row) - before}: ${rest}`
}

/** Several in one process, which loads what they share once. */
async function runAll(all) {
  const shares = Array.from({ length: parallel }, (_, n) => all.filter((_, i) => i % parallel === n))
  return (await Promise.all(shares.map(runShare))).flat()
}

async function runShare(share) {
  const work = share.map((block) => ({ ...block, cwd: mkdtempSync(join(tmpdir(), 'unikv-block-')) }))
  for (const { cwd } of work)
    for (const [name, text] of Object.entries(given)) writeFileSync(join(cwd, name), text)
  const told = await runnerOf(work)
  for (const { cwd } of work) rmSync(cwd, { recursive: true, force: true })
  return told.flatMap((message, i) =>
    message === undefined ? [] : [`${work[i].page}:${work[i].line}: does not run: ${message}`],
  )
}

/** Runs one after the other; for each `undefined`, or how it failed. Those behind one that ended the process are not run. */
function runnerOf(work) {
  const key = () => randomBytes(32).toString('base64')
  const env = {
    ...process.env,
    USERS_KEY: key(),
    USERS_KEY_1: key(),
    USERS_KEY_2: key(),
    USERS_NAME_KEY: key(),
    USERS_NAME_KEY_2: key(),
    BACKUP_KEY: key(),
    PASSPHRASE: 'correct horse battery staple',
  }
  const runner = join(folder, 'dist/run.mjs')
  writeFileSync(runner, runnerText)
  const options = {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: 60_000 * (1 + work.length / 10),
  }
  const child = fork(runner, [], options)
  const told = []
  let errors = ''
  child.stderr.on('data', (text) => (errors += text))
  child.on('message', ({ message }) => told.push(message))
  child.send(work.map(({ name, cwd }) => ({ name, cwd })))
  return new Promise((resolve) => {
    child.on('close', (code) => {
      if (told.length < work.length) told.push(`exit code ${code}: ${errors.slice(-1000)}`)
      resolve(told)
    })
  })
}
