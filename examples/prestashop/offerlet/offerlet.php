<?php
if (!defined('_PS_VERSION_')) {
    exit;
}

class Offerlet extends Module
{
    /** Your consent platform, such as google:ad_storage or cookiebot:marketing. */
    private $consent = '';

    public function __construct()
    {
        $this->name = 'offerlet';
        $this->version = '1.0.0';
        $this->author = 'Shop';
        parent::__construct();
        $this->displayName = 'Partner offers';
    }

    public function install()
    {
        return parent::install() && $this->registerHook('displayOrderConfirmation');
    }

    public function hookDisplayOrderConfirmation($params)
    {
        $order = $params['order'];
        $email = strtolower(trim((string) (new Customer($order->id_customer))->email));
        $attributes = [
            'src' => $this->_path . 'offerlet.js',
            'data-relay' => '/offers',
            'data-view' => 'THANK_YOU',
            'data-display-mode' => 'INLINE',
            'data-target' => '#offerlet',
            'data-email-hash' => $email === '' ? '' : hash('sha256', $email),
            'data-order-id' => $order->reference,
            'data-order-amount' => $order->total_paid,
            'data-order-currency' => (new Currency($order->id_currency))->iso_code,
        ] + ($this->consent === '' ? [] : ['data-consent' => $this->consent]);
        $text = '';
        foreach ($attributes as $name => $value) {
            $text .= sprintf(' %s="%s"', $name, htmlspecialchars((string) $value, ENT_QUOTES));
        }
        return '<style>#offerlet{min-height:390px}@media(max-width:699px){#offerlet{min-height:570px}}</style>'
            . '<div id="offerlet"></div><script async' . $text . '></script>';
    }
}
