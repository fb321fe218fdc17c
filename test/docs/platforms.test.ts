import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Window } from 'happy-dom';
import { describe, expect, test } from 'vitest';
import { hashEmail } from '../../src/wire/hash.ts';
import { blocksIn } from './pages.ts';

const isPhpThere = spawnSync('php', ['--version']).status === 0;
const isRequired = process.env['OFFERLET_TEST_PHP'] === '1';
/** Twig of Debian. */
const TWIG = '/usr/share/php/Twig/autoload.php';
const MODULE = 'examples/magento/Shop_Offers';
const wooCommerce = readFileSync('examples/woocommerce/offerlet.php', 'utf8');
/** The module's files that run on the page, as one. */
const magento = ['ViewModel/Offers.php', 'view/frontend/templates/offers.phtml']
  .map((path) => readFileSync(`${MODULE}/${path}`, 'utf8'))
  .map((code) => code.replace(/^<\?php\nnamespace (.*);([^]*)$/, '<?php namespace $1 {$2} ?>'));

/** Runs PHP code on its standard input, and returns what it printed. */
function php(code: string): string {
  const { status, stdout, stderr } = spawnSync('php', ['-d', 'display_errors=stderr', '-d', 'error_reporting=-1'], {
    input: code,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** The attributes of every offerlet script in HTML. */
function scriptsIn(html: string): Record<string, string>[] {
  const { document } = new Window({ settings: { disableJavaScriptEvaluation: true } });
  document.body.innerHTML = html;
  return [...document.querySelectorAll('script')].map((tag) =>
    Object.fromEntries([...tag.attributes].map(({ name, value }) => [name, value ?? ''])),
  );
}

/** What the snippet uses of WordPress and WooCommerce, and an order with text that must be escaped. */
const WORDPRESS = `<?php
final class Order {
	public function __construct( private string $status ) {}
	public function has_status( $status ) { return $this->status === $status; }
	public function get_id() { return 42; }
	public static $email = ' Ada@Example.com ';
	public function get_billing_email() { return self::$email; }
	public function get_order_number() { return '10"><script>alert(1)</script>42'; }
	public function get_total() { return '42.50'; }
	public function get_currency() { return 'EUR'; }
	public function key_is_valid( $key ) { return $key === 'wc_order_right'; }
}
$hooks = array();
function add_action( $name, $function, $priority = 10 ) { add_filter( $name, $function, $priority ); }
function add_filter( $name, $function, $priority = 10 ) { global $hooks; $hooks[ $name ][] = $function; }
function wc_get_order( $id ) { return $id === 42 ? new Order( 'processing' ) : ( $id === 43 ? new Order( 'failed' ) : false ); }
function esc_attr( $text ) { return htmlspecialchars( (string) $text, ENT_QUOTES ); }
function content_url( $path ) { return 'https://shop.example/wp-content/' . $path; }
function get_query_var( $name ) { return $name === 'order-received' ? '42' : ''; }
function plugin_basename( $path ) { return 'offerlet.php'; }
function apply_filters( $name, $value ) { global $hooks; foreach ( $hooks[ $name ] ?? array() as $hook ) { $value = $hook( $value ); } return $value; }
function absint( $value ) { return abs( (int) $value ); }
function wp_unslash( $value ) { return stripslashes( $value ); }
?>`;

const EXPECTED = {
  async: '',
  'data-relay': '/offers',
  'data-view': 'THANK_YOU',
  'data-display-mode': 'INLINE',
  'data-target': '#offerlet',
  'data-email-hash': createHash('sha256').update('ada@example.com').digest('hex'),
  'data-order-id': '10"><script>alert(1)</script>42',
  'data-order-amount': '42.50',
  'data-order-currency': 'EUR',
};

describe.skipIf(!isPhpThere && !isRequired)('the PHP files', () => {
  function thankYou(calls: string): string {
    return php(`${WORDPRESS}${wooCommerce}\n${calls}`);
  }
  const fire = (id: number): string => `foreach ( $hooks['woocommerce_thankyou'] as $hook ) { $hook( ${id} ); }\n`;
  const block = (key: string): string =>
    `$_GET['key'] = '${key}'; echo $hooks['render_block_woocommerce/order-confirmation-status'][0]( '<p>Status</p>' );\n`;

  test('WooCommerce: the hook prints the offers once, however often it fires, with every value escaped', () => {
    expect(scriptsIn(thankYou(fire(42) + fire(42)))).toEqual([
      { ...EXPECTED, src: 'https://shop.example/wp-content/uploads/offerlet.js' },
    ]);
  });

  test('WooCommerce: an order without an email address names no shopper, instead of one that all of them share', () => {
    const [tag] = scriptsIn(thankYou(`Order::$email = ''; ${fire(42)}`));
    expect(tag).toMatchObject({ 'data-email-hash': '', 'data-order-id': EXPECTED['data-order-id'] });
  });

  test('WooCommerce: the block-based page shows them to shoppers with the key of the order', () => {
    expect(scriptsIn(thankYou(block('wc_order_right')))).toHaveLength(1);
    expect(thankYou(block('wc_order_wrong'))).toBe('<p>Status</p>');
    expect(scriptsIn(thankYou(block('wc_order_right') + fire(42)))).toHaveLength(1);
  });

  test('WooCommerce: with the WP Consent API the tag waits for it; a shop may name another platform', () => {
    const api = 'function wp_has_consent() {}\n';
    expect(scriptsIn(thankYou(api + fire(42)))).toMatchObject([{ 'data-consent': 'wpconsent:marketing' }]);
    const named = "add_filter( 'offerlet_consent', fn() => 'onetrust:C0004' );\n";
    expect(scriptsIn(thankYou(api + named + fire(42)))).toMatchObject([{ 'data-consent': 'onetrust:C0004' }]);
  });

  test('WooCommerce: a failed or unknown order has no offers', () => {
    expect(thankYou(fire(43) + fire(44))).toBe('');
  });

  /** The page of an order: `isRestricted` in Magento's cookie restriction mode, before the shopper has agreed. */
  function success(id: string, { email = ' Ada@Example.com ', consent = '', isRestricted = false } = {}): string {
    const [viewModel = '', template = ''] = magento;
    return php(`<?php
namespace Magento\\Checkout\\Model { class Session { public function getLastRealOrder() { return new \\Order(); } } }
namespace Magento\\Cookie\\Helper { class Cookie { public function isUserNotAllowSaveCookie() { return ${isRestricted}; } } }
namespace Magento\\Framework\\View\\Element\\Block { interface ArgumentInterface {} }
namespace {
final class Order {
  public function getIncrementId() { return ${id}; }
  public function getCustomerEmail() { return '${email}'; }
  public function getGrandTotal() { return '42.50'; }
  public function getOrderCurrencyCode() { return 'EUR'; }
}
final class Escaper { public function escapeHtmlAttr($text) { return htmlspecialchars($text, ENT_QUOTES); } }
final class Block {
  /** What layouts accept as an object. */
  private static function argument(\\Magento\\Framework\\View\\Element\\Block\\ArgumentInterface $object) { return $object; }
  public function getData($name) {
    return $name === 'consent' ? '${consent}' : self::argument(
      new \\Shop\\Offers\\ViewModel\\Offers(new \\Magento\\Checkout\\Model\\Session(), new \\Magento\\Cookie\\Helper\\Cookie())
    );
  }
  public function getViewFileUrl($name) { return 'https://shop.example/static/' . $name; }
}
}
${viewModel.replace(/^<\?php|\?>$/g, '')}
namespace {
$block = new Block();
$escaper = new Escaper();
?>${template}<?php }`);
  }

  test('Magento: the module prints the order of the session, escaped, or nothing', () => {
    expect(scriptsIn(success(`'10"><script>alert(1)</script>42'`))).toEqual([
      { ...EXPECTED, src: 'https://shop.example/static/Shop_Offers::offerlet.js' },
    ]);
    expect(scriptsIn(success(`'1001'`, { email: '' }))).toMatchObject([{ 'data-email-hash': '' }]);
    expect(success('null').trim()).toBe('');
  });

  test('Magento: the tag waits for the named platform, or in cookie restriction mode for the shopper', () => {
    const consentOf = (options: Parameters<typeof success>[1]): unknown =>
      scriptsIn(success(`'1001'`, options))[0]?.['data-consent'];
    expect(consentOf({ consent: 'google:ad_storage', isRestricted: true })).toBe('google:ad_storage');
    expect(consentOf({ isRestricted: true })).toBe('required');
  });
});

test.skipIf(!isPhpThere && !isRequired)('PrestaShop: the module prints the order of its hook, escaped', () => {
  const module = readFileSync('examples/prestashop/offerlet/offerlet.php', 'utf8').replace('<?php', '');
  const html = php(`<?php
define('_PS_VERSION_', '9');
class Module { public $_path = '/modules/offerlet/'; public $name; public $version; public $author; public $displayName; public function __construct() {} public function install() { return true; }
  public function registerHook($name) { return $name === 'displayOrderConfirmation'; } }
class Customer { public $email = ' Ada@Example.com '; public function __construct(public $id) {} }
class Currency { public $iso_code = 'EUR'; public function __construct(public $id) {} }
${module}
$order = (object) ['id_customer' => 1, 'id_currency' => 1, 'reference' => '10"><script>alert(1)</script>42', 'total_paid' => '42.50'];
$offers = new Offerlet();
if ($offers->install()) echo $offers->hookDisplayOrderConfirmation(['order' => $order]);`);
  expect(scriptsIn(html)).toEqual([{ ...EXPECTED, src: '/modules/offerlet/offerlet.js' }]);
});

test.skipIf(!existsSync(TWIG) && !isRequired)(
  'Shopware: the template keeps the page and adds the order, escaped',
  () => {
    // Shopware's own tag inherits from several templates. Of one, it is Twig's.
    const template = readFileSync('examples/shopware/index.html.twig', 'utf8').replace('sw_extends', 'extends');
    const html = php(`<?php
require '${TWIG}';
$parent = '@Storefront/storefront/page/checkout/finish/index.html.twig';
$twig = new Twig\\Environment(new Twig\\Loader\\ArrayLoader([
  'own' => stream_get_contents(fopen('data://text/plain;base64,${Buffer.from(template).toString('base64')}', 'r')),
  $parent => '<p>{% block page_checkout_finish_details %}Details{% endblock %}</p>' ]), ['strict_variables' => true]);
$twig->addFunction(new Twig\\TwigFunction('asset', fn ($path) => "/$path"));
echo $twig->render('own', ['page' => ['order' => ['orderCustomer' => ['email' => ' Ada@Example.com '],
  'orderNumber' => '10"><script>alert(1)</script>42', 'amountTotal' => 42.5, 'currency' => ['isoCode' => 'EUR']]]]);`);
    expect(html).toMatch(/^<p> *Details/);
    const { 'data-email-hash': _, ...order } = EXPECTED;
    expect(scriptsIn(html)).toEqual([
      {
        ...order,
        src: '/bundles/shopoffers/offerlet.js',
        'data-email': ' Ada@Example.com ',
        'data-order-amount': '42.5',
        'data-consent': 'required',
      },
    ]);
  },
);

test('the snippets hash an email as the widget does', async () => {
  expect(await hashEmail(' Ada@Example.com ')).toBe(EXPECTED['data-email-hash']);
});

test('the XML of the Magento module is well-formed', () => {
  const { DOMParser } = new Window();
  for (const path of ['etc/csp_whitelist.xml', 'etc/module.xml', 'view/frontend/layout/checkout_onepage_success.xml']) {
    const code = readFileSync(`${MODULE}/${path}`, 'utf8');
    const document = new DOMParser().parseFromString(code, 'application/xml');
    expect(document.querySelector('parsererror')?.textContent).toBeUndefined();
    expect(document.documentElement.childElementCount).toBeGreaterThan(0);
  }
});

test('the script in the body for the Scripts API is one that the widget reads', () => {
  const [body] = blocksIn('json').filter(({ page }) => page === 'docs/guides/platforms.md');
  const { html } = JSON.parse(body?.code ?? '') as { html: string };
  expect(scriptsIn(html)).toMatchObject([
    { 'data-relay': 'https://offers.shop.example/offers', integrity: 'sha384-…' },
  ]);
});

test('the versions that are said to be run are those of the manifests', () => {
  const read = (path: string): string => readFileSync(path, 'utf8');
  const manifests = [
    read('package.json'),
    read('test/examples/navigation.spec.ts'),
    ...readdirSync('examples')
      .map((name) => `examples/${name}/package.json`)
      .filter((path) => existsSync(path))
      .map(read),
  ];
  const named = [...read('docs/guides/platforms.md').matchAll(/(@?[a-z][a-z./-]*[a-z]) (\d+\.\d+\.\d+)(?!\.)/g)];
  expect(named.length).toBeGreaterThan(10);
  for (const [, name = '', version = ''] of named)
    expect(manifests.join().replaceAll('": "', '@'), name).toContain(`${name}@${version}`);
});
