import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProcess, output, root, typed } from './command-line.ts'

test.skipIf(process.platform === 'win32')(
  'a file is written whole or not at all, where there is no room',
  async () => {
    const here = join(root, 'room')
    // As long as a name may be.
    const long = 'o'.repeat(255)
    await mkdir(here)
    const [store, old, next] = [`file:${join(root, 'roomy')}`, join(here, long), join(here, 'new')]
    await output('set', store, 'long', 'x'.repeat(50_000))
    await output('set', store, 'short', 'short')
    await writeFile(old, 'before', { mode: 0o640 })
    /** Commands one after the other, whose files may have 8 KiB, with their codes and errors: a limit that root has, too. */
    const limited = (commands: readonly (readonly string[])[]): readonly unknown[] => {
      const script = `import { run } from ${JSON.stringify(import.meta.resolve('../dist/cli/program.js'))}
        const ended = []
        for (const args of ${JSON.stringify(commands)}) {
          let err = ''
          const write = { out: () => {}, error: (text) => (err += text), columns: undefined, onInterrupt: () => {} }
          ended.push([await run({ arguments: args, ...write }), err])
        }
        console.log(JSON.stringify(ended))`
      const line = 'ulimit -f 8; exec "$0" --input-type=module -e "$1"'
      return JSON.parse(execFileSync('bash', ['-c', line, process.execPath, script], { encoding: 'utf8' }))
    }
    const got = (key: string) => [old, next].map((file) => ['get', store, key, '--out', file])
    expect(limited(got('long'))).toEqual(
      [old, next].map((file) => [2, `unikv: The file ${file} cannot be written (EFBIG).\n`]),
    )
    expect(await readdir(here)).toEqual([long])
    expect(await readFile(old, 'utf8')).toBe('before')
    const common = randomBytes(7_000).toString('hex')
    const samples = Array.from({ length: 20 }, (_, n) => common + n)
    await writeFile(join(root, 'samples'), samples.join('\n'))
    const dictionary = join(here, 'my.dict')
    const training = ['dictionary', 'train', join(root, 'samples'), '--lines', '--max-bytes', '16Ki']
    expect(limited([...got('short'), [...training, '--out', dictionary]])).toEqual([
      [0, ''],
      [0, ''],
      [2, expect.stringContaining('EFBIG')],
    ])
    expect([await readFile(old, 'utf8'), (await stat(old)).mode & 0o777]).toEqual(['short', 0o640])
    expect((await readdir(here)).sort()).toEqual(['new', long])
  },
)

test('a value of another form is named, with the way to see it, and the others are printed', async () => {
  const mixed = `lmdb:${join(root, 'mixed')}`
  await writeFile(join(root, 'bad.bin'), Buffer.from([0xff, 0xfe]))
  for (const key of ['a', 'b', 'c']) await output('set', mixed, key, `v${key}`)
  await output('set', mixed, 'b2', '--file', 'bad.bin', '--as', 'bytes')
  const told = /^unikv: .* The key is "b2"\. --as bytes shows it as it is\.\n$/
  const got = await inProcess(['get', mixed, 'a', 'b2', 'c'])
  expect(got).toEqual({ code: 4, out: 'va\nvc\n', err: expect.stringMatching(told) })
  expect(await inProcess(['scan', mixed, '--values'])).toEqual({
    code: 4,
    out: 'a\tva\nb\tvb\nc\tvc\n',
    err: expect.stringMatching(told),
  })
  await output('set', mixed, 'b2', '--file', 'bad.bin', '--as', 'bytes', '--namespace', 'n')
  for (const reading of [
    ['get', mixed, 'b2'],
    ['scan', mixed, '--values'],
  ])
    expect((await inProcess([...reading, '--namespace', 'n'])).err).toContain(' The key is "n" / "b2". --as')
  expect((await inProcess(['get', mixed, 'a', 'b', '--as', 'json'])).err.match(/--as bytes/g)).toHaveLength(2)
  expect(await output('scan', mixed, '--values', '--as', 'bytes')).toContain('b2\t//4=\n')
})

test('a value that its key does not open hides no other', async () => {
  const sealedBy = async (id: string, key: string): Promise<void> =>
    writeFile(
      join(root, 'sealed.yaml'),
      `stores:
  sealed:
    url: lmdb:./sealed
    layers: [text, { encryption: { dataset: sealed, keys: { primary: ${id}, keys: { ${id}: ${key} } } } }]\n`,
    )
  const [one, other] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const sealed = (...args: string[]) => inProcess([...args, '--config', 'sealed.yaml'])
  await sealedBy('k1', one)
  await sealed('set', 'sealed', 'a', 'va')
  await sealedBy('k2', other)
  await sealed('set', 'sealed', 'b', 'vb')
  const unknown = await sealed('get', 'sealed', 'a', 'b')
  expect(unknown).toEqual({
    code: 1,
    out: 'vb\n',
    err: expect.stringMatching(/'k1'.*\. The key is "a"\.\n$/),
  })
  await sealedBy('k1', other)
  await sealed('set', 'sealed', 'c', 'vc')
  const forged = await sealed('get', 'sealed', 'a', 'c')
  expect(forged).toEqual({ code: 1, out: 'vc\n', err: expect.stringMatching(/not authentic.*"a"\.\n$/) })
})

test('where a message points to its cause, the first line of the cause follows', async () => {
  const core = JSON.stringify(import.meta.resolve('@unikv/core'))
  const memory = JSON.stringify(import.meta.resolve('@unikv/core/memory'))
  const module = `import { StoreError } from ${core}
    import { memory } from ${memory}
    const cause = new Error('READONLY You cannot write.\\n  at somewhere')
    const read = () => { throw new StoreError('ACCESS_DENIED', 'The server rejects commands; see the cause.', { cause }) }
    export default { stores: { here: { store: { ...memory(), read } } } }`
  await writeFile(join(root, 'cause.mjs'), module)
  const { code, err } = await inProcess(['get', 'here', 'a', '--config', 'cause.mjs'])
  expect([code, err]).toEqual([
    1,
    'unikv: here: The server rejects commands; see the cause. The cause: READONLY You cannot write.\n',
  ])
})

test('keys that could not be removed are named, with the reason', async () => {
  const core = JSON.stringify(import.meta.resolve('@unikv/core'))
  const memory = JSON.stringify(import.meta.resolve('@unikv/core/memory'))
  const module = `import { StoreError } from ${core}
    import { memory } from ${memory}
    const locked = new StoreError('ACCESS_DENIED', 'It is locked.')
    const inner = memory()
    const write = async (all, call) => {
      const open = all.filter(({ key }) => !key.includes('b'))
      const results = [...(await inner.write(open, call))]
      return all.map((one) => (open.includes(one) ? results.shift() : locked))
    }
    export default { stores: { here: { store: { ...inner, write } } } }`
  await writeFile(join(root, 'locked.mjs'), module)
  const told = async (...keys: string[]) => {
    const { code, err } = await inProcess([
      'delete',
      'here',
      ...keys,
      ...typed('--namespace n --config locked.mjs'),
    ])
    return [code, err]
  }
  expect(await told('a', 'b', 'c')).toEqual([
    1,
    'unikv: here: 1 of 3 keys could not be written. "n" / "b": It is locked.\n',
  ])
  expect(await told('b1', 'b2', 'b3', 'b4')).toEqual([
    1,
    'unikv: here: 4 of 4 keys could not be written. "n" / "b1": It is locked. "n" / "b2": It is locked. "n" / "b3": It is locked. …\n',
  ])
})

test('a store that does not close hides no failure of the command', async () => {
  const core = JSON.stringify(import.meta.resolve('@unikv/core'))
  const memory = JSON.stringify(import.meta.resolve('@unikv/core/memory'))
  const module = `import { StoreError } from ${core}
    import { memory } from ${memory}
    const failing = (code, message) => async () => { throw new StoreError(code, message) }
    const close = failing('UNAVAILABLE', 'It does not close.')
    const read = failing('UNSUPPORTED', 'It does not read.')
    const scan = () => { throw new StoreError('UNSUPPORTED', 'It does not scan.') }
    export default { stores: { whole: { store: { ...memory(), close } }, here: { store: { ...memory(), read, scan, close } } } }`
  await writeFile(join(root, 'closing.mjs'), module)
  const told = async (...args: string[]) => {
    const { code, err } = await inProcess([...args, '--config', 'closing.mjs'])
    return [code, err]
  }
  expect(await told('get', 'here', 'a')).toEqual([2, 'unikv: here: It does not read.\n'])
  expect(await told('copy', 'here', 'whole')).toEqual([2, 'unikv: It does not scan.\n'])
  expect(await told('snapshot', 'here', 'none.snapshot')).toEqual([2, 'unikv: It does not scan.\n'])
  expect(await told('set', 'whole', 'a', 'QQ==')).toEqual([1, 'unikv: whole: It does not close.\n'])
})
