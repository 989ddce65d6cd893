import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure, view } from './documents.ts'

/** The result of an expression with these children. */
const result = async (exp: string, children: string, attributes = ''): Promise<unknown> => {
  const found = await view(`<a><x exp="${exp}" ${attributes}>${children}</x></a>`)
  return (found as { readonly x: unknown }).x
}

describe('expressions', () => {
  test.each([
    ["concat(' ')", '<a>This</a><b>is</b><c> fine </c>', 'This is fine'],
    ["concat('')", '<a>1</a><b/><c>2</c>', '12'],
    ["concat('-')", '<a>1</a><b/><c>2</c>', '1--2'],
    ["concat('')", '', ''],
    ["concat(''')", '<a>1</a><b>2</b>', "1'2"],
    ["concat(', ')", '<a value=" 1 "/><b><in>2</in></b>', ' 1 , 2'],
    ["concat(':')", "<a exp='+'><v>1</v><v>2</v></a><b>x</b>", '3:x'],
    ["find('\\d+')", 'port 80 of 81', '80'],
    ["find('\\d+')", '<v>port 80</v>', '80'],
    ["find('x')", 'abc', ''],
    ["find('x')", '', ''],
    ["find('a|b')", 'xba', 'b'],
    ['+', '', '0'],
    ['*', '', '1'],
    ['+', '<v>0.1</v><v>0.2</v>', '0.3'],
    ['+', '<v>1</v><v>2.50</v>', '3.50'],
    ['+', '<v>1.5</v><v>1.5</v>', '3'],
    ['*', '<v>1.5</v><v>1.10</v>', '1.650'],
    ['*', '<v>-2</v><v>1e3</v>', '-2000'],
    ['+', '<v>1e-3</v><v>1</v>', '1.001'],
    ['+', '<v>12345678901234567890</v><v>1</v>', '12345678901234567891'],
    ['*', '<v>0.1</v><v>0.1</v><v>0.1</v>', '0.001'],
    ['jsondump', '<a>1</a><b/>', '{"a":"1","b":null}'],
    ['jsondump', '<a type="number">1.50</a><b><c type="bool">true</c></b>', '{"a":1.50,"b":{"c":true}}'],
    ['jsondump', '<a>1</a><a>2</a>', '["1","2"]'],
    ['jsondump', '', '{}'],
    ['jsondump', `<a exp="concat('.')"><v>2</v><v>3</v></a>`, '{"a":"2.3"}'],
    ['jsondump', '<a type="array"><v exp="+"><w>3</w><w>4</w></v><v>5</v></a>', '{"a":[7,"5"]}'],
    ['jsondump', '<a exp="*" type="text"><w>3</w></a>', '{"a":"3"}'],
    ['jsondump', '<__proto__>1</__proto__>', '{"__proto__":"1"}'],
  ])('%s of %s is %j', async (exp, children, expected) => {
    expect(await result(exp, children)).toBe(expected)
  })

  test('the type casts the result, or the content of jsondump', async () => {
    expect(await result('+', '<v>1</v>', 'type="number"')).toBe(1)
    expect(await result("concat('')", '<v>true</v>', 'type="bool"')).toBe(true)
    expect(await result('jsondump', '<v>1</v>', 'type="array"')).toBe('["1"]')
    expect(await result('jsondump', '', 'type="array"')).toBe('[]')
    expect(await result('jsondump', '<v>1</v><v>2</v>', 'type="object"')).toBe('{"v":["1","2"]}')
  })

  test('sums are exact', async () => {
    const cents = fc.integer({ min: -1_000_000, max: 1_000_000 })
    const text = (value: number): string =>
      `${value < 0 ? '-' : ''}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`
    await fc.assert(
      fc.asyncProperty(fc.array(cents, { minLength: 1, maxLength: 20 }), async (values) => {
        const sum = await result('+', values.map((value) => `<v>${text(value)}</v>`).join(''))
        expect(Math.round(Number(sum) * 100)).toBe(values.reduce((total, value) => total + value, 0))
      }),
      { numRuns: 50 },
    )
  })
})

describe('list functions', () => {
  const digits = '<of><v>0</v><v>1</v><v>2</v><v>3</v></of>'
  test.each([
    ['<split with=",">0,1,2</split><v>x</v>', '0 1 2 x'],
    ['<split with="[|]"><v>a|b</v><v>c|</v></split>', 'a b c'],
    ['<split with="o"/>', ''],
    [`<slice><to>2</to>${digits}</slice>`, '0 1'],
    [`<slice from="1" to="3">${digits}</slice>`, '1 2'],
    [`<slice><from>2</from>${digits}</slice>`, '2 3'],
    [`<slice><from>4</from><to>4</to>${digits}</slice>`, ''],
    [`<slice><to exp="+"><v>1</v><v>2</v></to>${digits}</slice>`, '0 1 2'],
    ['<slice from="1"><split with=",">a,b,c</split></slice>', 'b c'],
    ['<map path="p"><s><p>1</p></s><s/><s p="2"/></map>', '1 2'],
    ['<map path="p/q"><s><p><q>1</q></p></s><s><p q="2"/></s><s><p/></s></map>', '1 2'],
    ['<findAll pattern="\\d">a1b2</findAll>', '1 2'],
    ['<findAll pattern="([a-z])(\\d)?" group="2"><v>a1b</v><v>c3</v></findAll>', '1 3'],
    ['<split with="-"><findAll pattern="\\S+">a-b c-d</findAll></split>', 'a b c d'],
  ])('%s', async (children, expected) => {
    expect(await result("concat(' ')", children)).toBe(expected)
  })

  test('their values can be added up', async () => {
    expect(await result('+', '<split with=",">1,2,3.5</split>')).toBe('6.5')
  })

  test('outside of expressions they are ordinary elements', async () => {
    expect(await view('<a><split>x</split><map><k>1</k></map></a>')).toEqual({ split: 'x', map: { k: '1' } })
  })
})

describe('mistakes', () => {
  test.each([
    ['<x exp="concat"/>', 'exp="concat" is not an expression'],
    ['<x exp="conca(\'\')"/>', "Did you mean 'concat('…')'?"],
    ['<x exp="-"><v>1</v></x>', 'is not an expression'],
    ['<x exp="+"><v>one</v></x>', 'a/x/v: its value is not a number'],
    ['<x exp="+"><v/></x>', 'a/x/v: it is empty, but a number is needed here'],
    ['<x exp="+">5</x>', 'works on child elements, but the element has a text'],
    ['<x exp="jsondump">5</x>', 'works on child elements, but the element has a text'],
    ['<x exp="+"><v>1e9999</v></x>', 'its power of ten is beyond 1000'],
    ['<x exp="*"><v>1e900</v><v>1e900</v></x>', 'the result has more than 1000 digits'],
    [
      `<x exp="concat('')"><v><a>1</a><b>2</b></v></x>`,
      'a/x/v: one value is needed here, but it has several elements',
    ],
    [
      `<x exp="find('a')"><split with=",">a</split></x>`,
      '<split> gives a list, but one value is needed here',
    ],
    [`<x exp="find('[')">a</x>`, 'find is not a regular expression that can be used'],
    [`<x exp="concat('')"><split>a</split></x>`, '<split> needs the attribute with'],
    [`<x exp="concat('')"><findAll pattern="a" group="1">a</findAll></x>`, 'so there is no group 1'],
    [`<x exp="concat('')"><findAll pattern="a" group="-1">a</findAll></x>`, 'group must be 0'],
    [
      `<x exp="concat('')"><slice from="5"><of><v/></of></slice></x>`,
      'is not inside of a list with 0 values',
    ],
    [`<x exp="concat('')"><slice from="1.5"><of><v>1</v></of></slice></x>`, 'from must be a whole number'],
    [`<x exp="concat('')"><slice from="0"/></x>`, 'slice needs <of> with values'],
    [`<x exp="concat('')"><map><v/></map></x>`, '<map> needs the attribute path'],
    [`<x exp="concat('')"><map path="a//b"><v/></map></x>`, 'path must be tags'],
    ['<x exp="jsondump"><n type="number">x</n></x>', 'a/x/n: type="number" does not fit'],
  ])('%s', async (document, says) => {
    expect(await failure(`<a>${document}</a>`)).toContain(says)
  })
})
