import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTrace, type TraceOptions } from '../../src/trace/read-trace.ts'
import type { TraceRequest } from '../../src/trace/trace-request.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'unikv-trace-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function read(content: string | Uint8Array, options?: TraceOptions): Promise<TraceRequest[]> {
  const path = join(directory, 'some.trace')
  writeFileSync(path, content)
  const found: TraceRequest[] = []
  for await (const request of readTrace(path, options)) found.push(request)
  return found
}

const three: TraceRequest[] = [
  { line: 2, atMs: 0, operation: 'update', key: 'a', size: 100 },
  { line: 3, atMs: 1_500, operation: 'read', key: 'b,"c"', size: undefined },
  { line: 5, atMs: 1_500, operation: 'delete', key: '7', size: undefined },
]

describe('readTrace', () => {
  test('reads a table with a first line that names its columns', async () => {
    const table = 'time,op,object_id,Size,other\n1.5,set,a,100,x\n3, GET,"b,""c""",,\r\n\n3,remove,7,,"x"\n'
    expect(await read(table)).toEqual(three)
    expect(await read(gzipSync(table))).toEqual(three)
    expect(await read(`\uFEFF${table.trimEnd()}`)).toEqual(three)
  })

  test('reads an object a line', async () => {
    const lines = [
      '',
      '{"timeMs":10,"operation":"SET","key":"a","bytes":100}',
      '{"timeMs":1510,"key":"b,\\"c\\"","size":null}',
      '',
      '{"timestamp_ms":1510,"op":"delete","id":7,"unknown":{}}',
    ]
    expect(await read(lines.join('\n'))).toEqual(three)
  })

  test('reads tables without names by the number of their columns, or as told', async () => {
    const read1 = { operation: 'read', atMs: undefined }
    expect(await read('k1\nk2')).toEqual([
      { ...read1, line: 1, key: 'k1', size: undefined },
      { ...read1, line: 2, key: 'k2', size: undefined },
    ])
    expect(await read('5\t68\n6\t1')).toEqual([
      { ...read1, line: 1, key: '5', size: 68 },
      { ...read1, line: 2, key: '6', size: 1 },
    ])
    expect(await read('0,read,a,\n1,set,b,9')).toMatchObject([
      { atMs: 0, operation: 'read', key: 'a', size: undefined },
      { atMs: 1_000, operation: 'update', key: 'b', size: 9 },
    ])
    const columns = ['time', 'key', '-', 'size', '-', 'operation', '-']
    expect(await read('10,x,4,20,c,add,0', { columns })).toEqual([
      { line: 1, atMs: 0, operation: 'insert', key: 'x', size: 20 },
    ])
  })

  test('takes the own name of a field before another one for it', async () => {
    const expected = [{ key: 'a' }, { key: 'b' }]
    expect(await read('key,id\na,1\nb,2')).toMatchObject(expected)
    expect(await read('id,key\n1,a\n2,b')).toMatchObject(expected)
    expect(await read('{"key":"a","id":1}\n{"id":2,"key":"b"}')).toMatchObject(expected)
  })

  test('reads columns with semicolons, as spreadsheets write them', async () => {
    expect(await read('time;op;key\n1;set;a,b')).toMatchObject([{ operation: 'update', key: 'a,b' }])
    expect(await read('a;b\nc', { columns: ['key'] })).toMatchObject([{ key: 'a;b' }, { key: 'c' }])
  })

  test('takes a line with spaces as a key only if told so', async () => {
    expect(await read('a b\nc', { columns: ['key'] })).toMatchObject([{ key: 'a b' }, { key: 'c' }])
    expect(await read('key\na b')).toMatchObject([{ key: 'a b' }])
  })

  test.each([
    ['milliseconds', '1700000000123', '1700000001323'],
    ['microseconds', '1700000000123000', '1700000001323000'],
    ['nanoseconds', '1700000000123000000', '1700000001323000000'],
  ])('takes times in %s since 1970 for what they are, and tells', async (unit, first, second) => {
    const told: string[] = []
    const options: TraceOptions = { onTimes: (found) => void told.push(found) }
    for (const content of [
      `time,key\n${first},a\n${second},b`,
      `{"ts":${first},"key":"a"}\n{"ts":${second},"key":"b"}`,
    ])
      expect((await read(content, options)).map(({ atMs }) => Math.round(atMs ?? 0))).toEqual([0, 1_200])
    expect(told).toEqual([unit, unit])
    await read('time,key\n1700000000.5,a', options)
    expect(told).toHaveLength(2)
  })

  test('sees names of columns though some are empty, unknown, or not those of requests', async () => {
    expect(await read(',time,op,key,size\n0,0.5,set,a,100')).toMatchObject([
      { operation: 'update', key: 'a' },
    ])
    expect(await read(',key\n0,a')).toMatchObject([{ key: 'a' }])
    const columns = ['time', 'operation', 'key', '-']
    expect(await read('time,method,url,bytes\n1,get,/a,5', { columns })).toMatchObject([{ key: '/a' }])
    expect(await read('2026-11-26T10:00:00Z,get,key,7')).toMatchObject([{ key: 'key', size: 7 }])
  })

  test('reads a pipe, also compressed', async () => {
    const pipe = join(directory, 'pipe')
    execFileSync('mkfifo', [pipe])
    for (const content of ['key,size\na,1\n', gzipSync('key,size\na,1\n')]) {
      const written = writeFile(pipe, content)
      const found: TraceRequest[] = []
      for await (const request of readTrace(pipe)) found.push(request)
      await written
      expect(found).toMatchObject([{ key: 'a', size: 1 }])
    }
  })

  test('takes dates as times', async () => {
    const found = await read('time,key\n2026-11-26T10:00:00Z,a\n2026-11-26T10:00:00.250Z,b')
    expect(found.map(({ atMs }) => atMs)).toEqual([0, 250])
  })

  test('reads long traces in order, over many chunks', async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `ключ${i}\t${i}`)
    const found = await read(gzipSync(lines.join('\r\n')))
    expect(found).toHaveLength(50_000)
    expect(found.every(({ key, size, line }, i) => key === `ключ${i}` && size === i && line === i + 1)).toBe(
      true,
    )
  })

  test.each([
    ['key,size\na,1\nb,x', "Line 3 of the trace some.trace: 'x' is not a size in bytes"],
    ['key,size\na,1\nb,-1', "'-1' is not a size"],
    ['key,size\na,1\n\nb', 'Line 4 of the trace some.trace: instead of 2 columns it has 1'],
    ['key,size\n,1', 'Line 2 of the trace some.trace: the key is missing'],
    ['key,op\na,updat', "'updat' is not an operation: did you mean 'update'"],
    ['key,op\na,frobnicate', 'is not an operation: use read, update, insert, delete, increment'],
    ['time,key\n1,a\nx,b', "Line 3 of the trace some.trace: 'x' is not a time"],
    ['time,key\n1,a\n,b', 'Line 3 of the trace some.trace: the time is missing'],
    ['time,key\n2,a\n1,b', 'Line 3 of the trace some.trace: the time is before that of the request above'],
    ['time,key\n,a\n2,b', 'Line 3 of the trace some.trace: it has a time, but the requests above have none'],
    ['time,key\nfoo 1,a', "'foo 1' is not a time"],
    ['id,object_id\n1,a', "'id' and 'object_id' both mean the key"],
    ['key,key\n1,a', "'key' and 'key' both mean the key"],
    ['{"id":1,"obj_id":"a"}', "Line 1 of the trace some.trace: 'id' and 'obj_id' both mean the key"],
    ['{"key":12345678901234567890}', 'the key is a number of more than 15 digits'],
    ['0 1 100\n1 2 100', 'it holds spaces, but neither commas nor tabs'],
    ['key\n"a', 'Line 2 of the trace some.trace: a quote is not closed'],
    ['key,size\n"a"b,1', 'a quote is not closed, or text follows it'],
    ['{"key":"a"}\n{"key":', 'Line 2 of the trace some.trace: it is not a JSON object'],
    ['{"key":"a"}\n[1]', 'Line 2 of the trace some.trace: it is not a JSON object'],
    ['{"key":["a"]}', 'the key must be a text or a number'],
    [
      'time,method,url,bytes\n1,get,/a,5',
      'none of the columns is the key. They are time, method, url, bytes; name them in another way, as in --columns time,-,key,size.',
    ],
    ['a,b,c', 'Line 1 of the trace some.trace: name its 3 columns'],
    ['', 'holds no request'],
    ['key,size\n', 'holds no request'],
    [Uint8Array.of(0x61, 0x0a, 0xff, 0x0a), 'cannot be read after line 0: it must be a text in UTF-8'],
    [gzipSync('a\n'.repeat(100)).subarray(0, 20), 'cannot be read after line'],
    ['x'.repeat(3_000_000), 'cannot be read after line 0: the next line is longer than 1 MiB'],
  ])('names the line that is wrong (case %#)', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message)
    await expect(read(content)).rejects.toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })

  test('refuses a file that is not there, columns without a key, and unknown options', async () => {
    const nowhere = readTrace(join(directory, 'nowhere'))
    await expect(nowhere.next()).rejects.toThrow('nowhere cannot be opened (ENOENT)')
    await expect(read('a,b', { columns: ['time', 'size'] })).rejects.toThrow('none of the columns is the key')
    await expect(read('a,b', { columns: ['tme', 'key'] })).rejects.toThrow("Did you mean 'time'?")
    await expect(read('a', { column: [] } as TraceOptions)).rejects.toThrow('Did you mean `columns`?')
  })

  test('may be left early', async () => {
    const path = join(directory, 'long.trace')
    writeFileSync(path, gzipSync('a\n'.repeat(1_000_000)))
    for await (const { key } of readTrace(path)) {
      expect(key).toBe('a')
      break
    }
  })
})
