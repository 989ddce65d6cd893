/**
 * Compiles every `ts` block of every page in one run of each compiler, and runs those that need no server.
 *
 * A block is a module of its own. A fragment, which is a block without imports, may use every name that a package
 * exports. What else surrounds a block stands in a comment before it, which readers of the page do not see:
 *
 *     <!-- ts
 *     declare const url: string
 *     -->
 *
 * Blocks with such surroundings are compiled only.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { files, packages, root, verdict } from './workspaces.mjs'

const run = promisify(execFile)
/** In the repository, so that imports lead to the workspaces. */
const folder = join(root, 'node_modules/.cache/doc-blocks')
/** The newest that is supported, and the oldest, which `examples` has (its commands must not hide those of the root). */
const compilers = ['node_modules/typescript', 'examples/node_modules/typescript']
/** Packages whose blocks need a server or another process. */
const remote =
  /@unikv\/(?:cassandra|couchdb|dynamodb|hbase|memcached|mongodb|mysql|postgres|redis|s3|swift|sync|test-kit|conformance|workload)['/]|@aws-sdk/
const parallel = 2
/** Core's own names come before those that hand them on. */
const rank = (name) => (name.startsWith('@unikv/core') ? 0 : name === 'unikv' ? 1 : 2)

const modulesByName = await exportedNames()
const blocks = files('.', (path) => path.endsWith('.md')).flatMap(blocksOf)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const block of blocks) writeFileSync(join(folder, `${block.name}.ts`), sourceOf(block))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config()))

const problems = (await Promise.all(compilers.map(compile))).flat()
const runnable = blocks.filter(
  ({ surroundings, text }) => surroundings === '' && /^import /m.test(text) && !remote.test(text),
)
if (problems.length === 0) problems.push(...(await runAll(runnable)))
verdict(`${blocks.length} ts blocks of pages, ${runnable.length} of them run`, problems)

function blocksOf(page) {
  const text = readFileSync(join(root, page), 'utf8')
  const pattern = /^(?: *<!-- ts\n([\s\S]*?)-->\n+)?( *)```ts\n([\s\S]*?)^\2```/gm
  return [...text.matchAll(pattern)].map(({ 1: surroundings = '', 3: block, 0: whole, index }) => {
    const line = text.slice(0, index + whole.indexOf('```ts')).split('\n').length
    return { page, line, name: `${page.replace(/\W+/g, '-')}-${line}`, surroundings, text: block }
  })
}

/** On one line before the block, so that lines of errors can be told. */
function sourceOf({ surroundings, text }) {
  const before = `${imports(surroundings + text, /^import /m.test(text))}\n${surroundings}`
  return `${before}\n// block\n${text}\nexport {}\n`
}

/** What a fragment uses of the packages without saying so. */
function imports(source, isComplete) {
  if (isComplete) return ''
  const words = new Set(
    source.replace(/(['"`])(?:(?!\1).)*\1|\/\/.*$/gm, '').match(/(?<![.\w$])[A-Za-z_$][\w$]*(?!\w*:(?!:))/g),
  )
  return [...words]
    .filter(
      (word) =>
        modulesByName.has(word) &&
        !new RegExp(`(?:const|let|function|class|interface|type) ${word}\\b`).test(source),
    )
    .map((word) => `import { ${word} } from '${modulesByName.get(word)}'`)
    .join('; ')
}

/** The module of each value that a package exports; core's own before those that hand it on. */
async function exportedNames() {
  const names = new Map()
  const modules = packages().flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((entry) => !/package\.json|vitest|main/.test(entry))
      .map((entry) => manifest.name + entry.slice(1)),
  )
  for (const name of modules.sort((a, b) => rank(a) - rank(b)))
    for (const word of Object.keys(await import(name))) if (!names.has(word)) names.set(word, name)
  return names
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
  const before = sourceOf(block).split('// block\n')[0].split('\n').length
  return `${block.page}:${block.line + Number(row) - before}: ${rest}`
}

async function runAll(queue) {
  const waiting = [...queue]
  const found = []
  const worker = async () => {
    for (let block = waiting.shift(); block !== undefined; block = waiting.shift()) {
      const failure = await runBlock(block)
      if (failure !== undefined) found.push(failure)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  return found
}

async function runBlock({ page, line, name }) {
  const cwd = mkdtempSync(join(tmpdir(), 'unikv-block-'))
  writeFileSync(join(cwd, 'dump'), 'text')
  const key = () => randomBytes(32).toString('base64')
  const env = {
    ...process.env,
    USERS_KEY_1: key(),
    USERS_NAME_KEY: key(),
    USERS_NAME_KEY_2: key(),
    BACKUP_KEY: key(),
  }
  try {
    await run(process.execPath, [join(folder, 'dist', `${name}.js`)], { cwd, env, timeout: 60_000 })
  } catch (error) {
    return `${page}:${line}: does not run: ${error.message}`
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
