import { safeText } from '../../cli/output/displayWidth.ts';
import { print } from '../../cli/output/print.ts';
import type { Cell } from '../../cli/output/table.ts';
import { operatorCommand } from './operatorCommand.ts';

/** `offerlet categories list`: all categories with their subcategories. */
export const categoriesList = operatorCommand({
  summary: 'Lists the categories and their subcategories, with their ids.',
  options: {},
  examples: [
    { call: 'offerlet categories list', does: 'The names and ids for "exclusions set" and "publishers add"' },
    { call: 'offerlet categories list --csv > categories.csv', does: 'One line for each subcategory' },
  ],
  async run({ settings, terminal, connection, progress }) {
    const categories = await connection.channel().categories();
    progress.end();
    print(
      {
        json: { categories },
        csv: {
          columns: ['category_id', 'category', 'subcategory_id', 'subcategory'],
          rows: categories.flatMap((category) =>
            category.subcategories.map((subcategory) => ({
              category_id: category.remote_id,
              category: category.name,
              subcategory_id: subcategory.remote_id,
              subcategory: subcategory.name,
            })),
          ),
        },
        table: () => ({
          columns: [{ header: 'CATEGORY' }, { header: 'ID', isFixed: true }],
          rows: categories.flatMap((category): Cell[][] => [
            [
              { text: safeText(category.name), tone: 'strong' },
              { text: category.remote_id, tone: 'strong' },
            ],
            ...category.subcategories.map(({ name, remote_id }) => [`  ${safeText(name)}`, safeText(remote_id)]),
          ]),
        }),
      },
      { format: settings, terminal },
    );
  },
});
