import { describe, expect, test } from 'vitest'
import { givenProperty, parseProperties } from '../../src/ycsb/properties.ts'

function read(text: string): Record<string, string> {
  return Object.fromEntries([...parseProperties(text, 'file')].map(([name, { value }]) => [name, value]))
}

describe('parseProperties', () => {
  test('reads names and values in every form that Java knows', () => {
    expect(read('a=1\nb: 2\r\nc 3\n d  =  4 5 \n\n# e=6\n  ! f=7\ng\nh=\ni==8\rj = = 9')).toEqual({
      a: '1',
      b: '2',
      c: '3',
      d: '4 5 ',
      g: '',
      h: '',
      i: '=8',
      j: '= 9',
    })
  })

  test('joins lines that go on, and leaves comments within them alone', () => {
    expect(read('a = one, \\\n    two, \\\n # three\nb = c\\\\\nd = 1\\')).toEqual({
      a: 'one, two, # three',
      b: 'c\\',
      d: '1',
    })
    expect(read('# comment \\\na=1')).toEqual({ a: '1' })
  })

  test('reads escapes in names and values', () => {
    expect(read('a\\ b\\=c\\:d = \\t\\n\\q\\u00e9\\\\')).toEqual({ 'a b=c:d': '\t\nqé\\' })
  })

  test('the last of two equal names wins, and each value knows its line', () => {
    const found = parseProperties('a=1\n\n# x\na=\\\n2', 'workloada')
    expect([...found]).toEqual([['a', { value: '2', source: 'workloada, line 4' }]])
  })

  test.each(['a=\\u12', 'a=\\u12g4', '\\u=1'])('names the line of the escape in %j', (text) => {
    expect(() => parseProperties(`x=1\n${text}`, 'workloada')).toThrow(
      'workloada, line 2: \\u must be followed by four hexadecimal digits.',
    )
  })
})

test('givenProperty reads one of the command line, and refuses others', () => {
  expect([...givenProperty(' a = b=c ')]).toEqual([['a', { value: 'b=c', source: '-p' }]])
  for (const text of ['a', '=b', ''])
    expect(() => givenProperty(text)).toThrow(`-p '${text}' must be name=value.`)
})
