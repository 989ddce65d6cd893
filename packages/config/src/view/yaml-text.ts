import { Scalar, type ScalarTag, stringify } from 'yaml'
import { type Data, isDataMap, isList, isNumberText, type NumberText } from './data-kinds.ts'

/** Writes numbers as they are. */
const numberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^$/,
  identify: isNumberText,
  resolve: (text) => text,
  stringify: (item: Scalar) => (item.value as NumberText).digits,
}

/** YAML of a view, with all digits of its numbers. */
export function yamlText(data: Data): string {
  return stringify(ordered(data), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    customTags: (tags) => [numberTag, ...tags],
  })
}

function ordered(data: Data): unknown {
  if (isList(data)) return data.map(ordered)
  return isDataMap(data) ? new Map([...data].map(([key, value]) => [keyOf(key), ordered(value)])) : data
}

/** Without quotes `<<` would merge. */
function keyOf(key: string): unknown {
  if (key !== '<<') return key
  const quoted = new Scalar(key)
  quoted.type = 'QUOTE_DOUBLE'
  return quoted
}
