import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// What an editor shows of options that are declared in a table: it reads the types that are published.

const ts = createRequire(new URL('../../docs/package.json', import.meta.url))('typescript')
const path = fileURLToPath(new URL('editor.ts', import.meta.url))
const text = `import { file, type FileOptions } from '@unikv/file'
import { type RedisOptions } from '@unikv/redis'
import { swift } from '@unikv/swift'
const files: FileOptions = { directory: './data', dataset: 'films', durability: 'buffered' }
const records: RedisOptions = { replicas: { wait: 1 }, socketTimeoutMs: 5 }
file({ directory: './data', prepare: true })
file({ dataset: 'films' })
file({ directory: './data', durability: 'weak' })
const wrong: RedisOptions = { url: 5 }
const disk: 'flushed' = swift({ auth: { v1: { url: 'http://h', user: 'u', key: 'k' } }, durability: 'flushed' }).capabilities.durability
`
const service = ts.createLanguageService({
  getCompilationSettings: () => ({ module: 199, target: 10, strict: true, types: ['node'] }),
  getScriptFileNames: () => [path],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name: string) => {
    const content = name === path ? text : ts.sys.readFile(name)
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
  },
  getCurrentDirectory: () => fileURLToPath(new URL('.', import.meta.url)),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  realpath: ts.sys.realpath,
})

const parts = (list: readonly { readonly text: string }[] = []): string =>
  list.map((one) => one.text).join('')

test.each([
  ['directory:', 'directory: string', 'Folder in which datasets are.', []],
  ['dataset:', 'dataset?: string | undefined', 'Name of the dataset: a folder', ["'unikv'"]],
  ['durability:', '?: "buffered" | "flushed" | undefined', 'a crash of the machine', ["'flushed'"]],
  ['wait:', 'wait: number', 'Replicas that must acknowledge', []],
  ['socketTimeoutMs:', 'Ms?: number | undefined', 'How long a server may stay silent', ['10,000']],
])('an editor shows type, comment and default of %s', (option, type, comment, presets) => {
  const shown = service.getQuickInfoAtPosition(path, text.indexOf(option))
  expect(parts(shown.displayParts)).toContain(type)
  expect(parts(shown.documentation)).toContain(comment)
  expect((shown.tags ?? []).map((tag: { readonly text?: [] }) => parts(tag.text))).toEqual(presets)
})

test('an editor offers options with their comments', () => {
  const at = text.indexOf('prepare: true')
  const offered = service.getCompletionEntryDetails(path, at, 'maxInFlight')
  expect(parts(offered.documentation)).toContain('Most records that are read and written at the same time')
})

test('the compiler knows the options', () => {
  const told = service
    .getSemanticDiagnostics(path)
    .map((one: { readonly messageText: unknown }) => ts.flattenDiagnosticMessageText(one.messageText, ' '))
  expect(told).toEqual([
    expect.stringContaining("Property 'directory' is missing"),
    expect.stringContaining('"weak"'),
    expect.stringContaining("'number' is not assignable to type 'string'"),
  ])
})
