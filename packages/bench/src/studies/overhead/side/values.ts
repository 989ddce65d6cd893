/** The form of the values that a side takes. */
export type ValueForm = 'bytes' | 'text' | 'object'

const fields = 10

/** Values of a size, each different from the one before: a server may skip an update that changes nothing. */
export class Values {
  readonly #make: (i: number) => unknown
  #made = 0

  /** @param size - bytes of a value, as it is stored without a layer that makes it smaller */
  constructor(form: ValueForm, size: number) {
    this.#make = makers[form](size)
  }

  next(): unknown {
    return this.#make(this.#made++)
  }
}

const makers: Readonly<Record<ValueForm, (size: number) => (i: number) => unknown>> = {
  bytes: (size) => {
    const values = Array.from({ length: 64 }, (_, i) => Buffer.alloc(size, `value ${i} `))
    return (i) => {
      const value = values[i % values.length] as Buffer
      if (size >= 4) value.writeUInt32LE(i % 2 ** 32)
      return value
    }
  },
  text: (size) => (i) => textOf(size, i),
  // As long as JSON, with the names of its fields.
  object: (size) => {
    const each = Math.max(1, Math.floor((size - 1) / fields) - '"field0":"",'.length)
    return (i) =>
      Object.fromEntries(
        Array.from({ length: fields }, (_, field) => [`field${field}`, textOf(each, i + field)]),
      )
  },
}

function textOf(size: number, i: number): string {
  return `${i} `.padEnd(size, `value ${i % 64} `).slice(0, size)
}
