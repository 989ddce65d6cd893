import { StoreError } from '@unikv/core'
import { type ShelfOptions, shelf } from '../../shelf/shelf.ts'
import { type BrokenOpening, making } from './broken-opening.ts'

const unknown = 'an option that is not known is refused, with the name that was meant'
const wrong = 'a name with a secret: refused in a sentence that tells no secret'

/** Opens a store with these options, or rejects. */
function refusing(
  refused: (options: ShelfOptions, error: StoreError) => never,
): Pick<BrokenOpening, 'breaks'> {
  return making((options) => {
    try {
      return shelf(options)
    } catch (error) {
      return refused(options, error as StoreError)
    }
  })
}

/** Adapters that do not check their options as they should. */
export const options: readonly BrokenOpening[] = [
  {
    fault: 'takes what it does not know',
    found: unknown,
    ...making(({ shelf: name, address, password, prepare }) =>
      shelf({ shelf: name, address, password, prepare }),
    ),
  },
  {
    fault: 'does not say which name was meant',
    found: unknown,
    ...refusing((_, error) => {
      throw new StoreError(
        'INVALID_CONFIG',
        error.message.replace(/Did you mean.*/, 'Look at the documentation.'),
      )
    }),
  },
  {
    fault: 'takes no options for those by default',
    found: 'what is not an object of options is refused',
    ...making((given) => shelf(given ?? { shelf: 'all' })),
  },
  {
    fault: 'shows the value that it refuses',
    found: wrong,
    ...refusing((given) => {
      throw new StoreError('INVALID_CONFIG', `The name ${given.shelf} is not one of a shelf.`)
    }),
  },
  {
    fault: 'hides the value that it refuses in the cause',
    found: wrong,
    ...refusing((given, { message }) => {
      throw new StoreError('INVALID_CONFIG', message, { cause: new Error(given.shelf) })
    }),
  },
  {
    fault: 'refuses in a word',
    found: wrong,
    ...refusing(() => {
      throw new StoreError('INVALID_CONFIG', 'shelf')
    }),
  },
  {
    fault: 'refuses with an error of its own',
    found: wrong,
    ...refusing(() => {
      throw new TypeError('The name is not one of a shelf.')
    }),
  },
  {
    fault: 'refuses with the first call',
    found: wrong,
    ...refusing(() => shelf({ shelf: 'all' }) as never),
  },
]
