import { gunzipSync } from 'node:zlib'
import { featuresMark, type LessonsState, lessonsStateIn } from './lessons-state.ts'

/*
 * The start of a tuner, unless it is given lessons of its own. It was learned by `unikv tune learn` on the machine, of the
 * stores and on the day that `origin` names, and weighs at most as much as 150 samples.
 */

const origin = {
  at: '2026-11-29T11:23:51.152Z',
  machine: 'linux x64, 2 x AMD EPYC, Node.js 20.20.2',
  stores: ['redis 7.0.15', 'postgres 15.18 (Debian 15.18-0+deb12u1)'],
  samples: 240,
  epochs: 15,
}

/** Other numbers of a store than those of now: then there is nothing to begin from, until it is learned anew. */
const features: string = '3f1d6a7eaeb6'

const classes = ['none', 'add-cache']

/** The tree: JSON, by gzip, in base64. */
const tree = [
  'H4sIAAAAAAACA+1b3Y7bxg5+F10TBDn8GdJ3fQ7DF0HjNkUX2QPvFr0I8u7FjCTbst1ke5DT9BRjA14NP84fhyIpivtp+un47vW3',
  '03HaicL0+uF0fPnw/PR+2ikqRQ1TyvlrMB1Pp+fTy7T7NL0cjx+nnTgRTC//OR3fvZ92ZoQpQjZ/qsB0ev79Zdrt93sCOsDd7wH2',
  'ewZCO1OvWytat3Bvni8KcGcswLgCcdVjpjeOua0gB9gbCKp0NoGyXjbeOjM76DJMBUP1+2sDxcKx8HOBXFYmwIRiOY/J2ppLo4Jj',
  'kT5bX7MAB4ZXnoe8ayeUglrSH+FtBFUQX5dvClrQaZlMK0igVP4TQl82GYSgutd1kixQL7tMg1pRqtBMORw+w/Tjh1+e3p+aAuw/',
  'Tb8ff/n5w2s75SJUMNwoncJCKqT4AaZTY5h2+6wJZuUA09Pz86/H9z+8Tjvh0G2fOyXLcqVjbIGFqlN4mlspf0nHbv++WcuWi5U3',
  '6lbV7pXvonaNthzAldbNE1WQO6z1uegWbK4DfPntI1fgghrLkEwQ6/DswOX8t+uaAmdfpFDTqvW4pUDR+Vhnce/3/aAKiwJBaDKo',
  'pVH/tJ1VA6kqYOKQVASKpCxwm6kfs1YlIiCwKO2KgNmZNp9lsLQonSElicCkdD7wrGXLv45OWMMCCBhUMG0ZiDCIm7g10oEhsbBe',
  'Os3flXdprWhBIweCkqgJHGQrJ6NWB8IipKAoFuCRyJe9GiYDgZe2l77JpWtRrAqBoRVcsQhYql8mlSzYtlFUEoTFrsWizFjbHs0E',
  'RM02IqjGs3yDVWfppT8QLrvnchBNukRQK8ljoRbW8kConNGlh8akf0mozGhdidjRwC30SjZIpc1mGMBkee4UhlnPnaSUslG8djwE',
  'XBQFRJqWvXExAx3oQL8vOpzKcCrDqQx0oAMdTmU4leFUxg080IEOdKAD/X4o9+/ZEy+ti7+lFG2RBREpEIoCO/KV4xW5QgUcxeUq',
  'QMMWkIAHmCtfHGtgcKM7lCLy9/hHrBE9WAEWQr0EZJ7aycWw5hV/eMyxBveM+sKdlDO3Y5U3zu3B2CI3jqogZQlFF2azmEENBlfW',
  'TcgjpD24gGSPHqIuoRGw3garZ/ES2XUfNZvj2wyTx+Gq1sY5R2FcM2cYRDSIHs8iaXXtEhJzYAjKpdx1OMdN6g4V2JMJhGtsR6xc',
  'ucW1bW+pBKbCtxHguHsHOtBvYA212+xmyORizlV8JnpF1280k2X63Uzm4t96poEO9E/QcCXa/K6cj5A3Rkf/T3I4fIbrig12q8ii',
  'SZKs7CVal3PBRpGWMpNNwQZ7sZsudxUbzYGfKzboqxUalzqM74OvyLYIom3emJDnJA6BJMUcpnz87elprt8RKCWWtFWELtnBvAmU',
  'rvkJLVqWrleFRG1FGXrDsR7dZhrUDjm6FfDqWLcMrfKnm9JiKFBI6+3MTAGOPR9qjq1waMkAXjNZtixcS8YJqFrfULEv7oe1trCf',
  'tGSP/klAkNrTwVd31TKN0RwOZ7TA2xzMSbZMESillTm1VKmXtvI6P0V8dfxB/BuIYVi8FbnVClzbCcq97jnH/Lgi7cEAzOZ7CULU',
  'v6hdxY37s2WGtIghzRIKYass+/pd4/3JE1MDNNBAm3bf8DBhWdK1SoQOpfYHp3+84Id1GtZpEId1GtZpWKdhnYZ1GtZpEAfxvyCe',
  'Ezw3t0/lXk7D7d4R7pU1eXPrmDYDqwJeennQt11s+2eS2mx86dNnWm3GgvIt63/olCMxWgYWFZIEL2+Jbl2ZzO+KjKLS5oWTSwR9',
  'wexUypXT1oKq9j9kMy2J7f5N0tZlSQUjqsASlVrN1mPzNrR4EP+nBmBI6V8ffj16H/BPVYzD5wNM755ej6eP716P064RP/8B1VlW',
  '0cA7AAA=',
].join('')

/** The lessons that unikv has from its developers; `undefined`: they are of other numbers. */
export function shipped(): LessonsState | undefined {
  if (features !== featuresMark) return undefined
  const state: unknown = JSON.parse(gunzipSync(Buffer.from(tree, 'base64')).toString())
  return lessonsStateIn('The lessons of unikv', {
    format: 1,
    features,
    classes,
    samples: 3600,
    tree: state,
    origin,
  })
}
